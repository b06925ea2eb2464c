// Charts as SVG: panels above each other over one axis. Lengths are CSS pixels.

const GAP = 34;
const LABEL_APART = 15;
const DASHES = { dash: "7 5", dot: "2 4", dashdot: "8 4 2 4", longdash: "12 5", longdashdot: "12 4 2 4" };

function draw(parent, tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function scaleOf({ low, high, isLog }, from, to) {
  const place = (value) => (isLog ? Math.log(value) : value);
  return (value) => from + ((place(value) - place(low)) / (place(high) - place(low))) * (to - from);
}

// Round numbers along an axis, about one for every `room` pixels.
function ticksOf({ low, high, isLog }, span, room) {
  if (!isLog || high / low < 2.5) {
    return niceTicks(low, high, span, room).map((tick) => [tick, tick.toLocaleString("en", { maximumFractionDigits: 6 })]);
  }
  const tens = Math.log10(high / low);
  const digits = tens * 3 * room < span ? [1, 2, 5] : [1];
  const every = Math.ceil((tens * room) / span);
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const digit of digits) {
      const value = digit * 10 ** power;
      if (value >= low && value <= high && (digit > 1 || power % every === 0)) ticks.push([value, plain(value)]);
    }
  }
  return ticks;
}

const SYMBOLS = {
  circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: (r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  diamond: (r) => `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0Z`,
  "triangle-up": (r) => `M0 ${-1.2 * r}L${1.2 * r} ${r}H${-1.2 * r}Z`,
  cross: (r) => `M${-r} ${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
  hexagon: (r) => `M${r} 0L${r / 2} ${0.87 * r}H${-r / 2}L${-r} 0L${-r / 2} ${-0.87 * r}H${r / 2}Z`,
  x: (r) => `M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`,
};

// A figure that is drawn again with each spec, and when its width changes.
class Chart {
  constructor(figure) {
    this.figure = figure;
    this.svg = draw(figure, "svg", { role: "img" });
    this.readout = figure.appendChild(make("p", { className: "readout" }));
    new ResizeObserver(() => this.width !== figure.clientWidth && this.spec && this.show(this.spec)).observe(figure);
    this.svg.onpointermove = (event) => this.point(event);
    this.svg.onpointerleave = () => this.point(null);
  }

  show(spec) {
    this.spec = spec;
    this.width = this.figure.clientWidth;
    if (!this.width) return;
    const { svg, width } = this;
    const { height, right = 16, left = 62 } = spec;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.setAttribute("aria-label", spec.alt);
    this.points = [];
    const box = { left, right: width - right, top: 14, bottom: height - (spec.x.room ?? 48) };
    this.x = scaleOf(spec.x, box.left, box.right);
    const inner = box.bottom - box.top - GAP * (spec.panels.length - 1);
    this.gap = box.top + inner * (spec.panels[0].share ?? 1) + GAP / 2 + 4;
    this.shades(box);
    this.xAxis(box);
    let top = box.top;
    for (const panel of spec.panels) {
      const part = { ...box, top, bottom: top + inner * (panel.share ?? 1) };
      this.panel(panel, part);
      top = part.bottom + GAP;
    }
    this.mark = draw(svg, "circle", { r: 5, fill: "none", stroke: "var(--st-text-color)", "stroke-width": 1.5, visibility: "hidden" });
    this.point(null);
  }

  // Grounds and upright lines across all panels, with words beside them.
  shades({ left, right, top, bottom }) {
    for (const { from, to, words, isBetween, dotted } of this.spec.shades ?? []) {
      const [x0, x1] = [from, to].map((value) => Math.min(Math.max(this.x(value), left), right));
      if (x1 > x0) draw(this.svg, "rect", { x: x0, y: top, width: x1 - x0, height: bottom - top, fill: "var(--ground)" });
      if (dotted) draw(this.svg, "path", { d: `M${x0} ${top}V${bottom}`, stroke: "var(--muted)", "stroke-dasharray": "2 3" });
      if (!words) continue;
      const y = isBetween ? this.gap : top + 12;
      const isRoom = x1 - x0 > 6.2 * words.length;
      draw(this.svg, "text", { x: isRoom ? x0 + 5 : x0 - 5, y, "text-anchor": isRoom ? "start" : "end", class: "halo" }, words);
    }
  }

  xAxis({ left, right, bottom }) {
    const { x } = this.spec;
    const ticks = x.ticks ?? ticksOf(x, right - left, 60);
    const room = (right - left) / Math.max(ticks.length, 1);
    const every = Math.max(1, Math.ceil((x.widest ?? 40) / room));
    ticks.forEach(([value, text], at) => {
      const place = this.x(value);
      if (x.isGrid !== false) draw(this.svg, "path", { d: `M${place} 14V${bottom}`, stroke: "var(--edge)" });
      draw(this.svg, "path", { d: `M${place} ${bottom}v5`, stroke: "var(--muted)" });
      if ((ticks.length - 1 - at) % every) return;
      String(text).split("\n").forEach((part, row) => draw(this.svg, "text", { x: place, y: bottom + 18 + 14 * row, "text-anchor": "middle" }, part));
    });
    draw(this.svg, "text", { x: (left + right) / 2, y: this.spec.height - 6, "text-anchor": "middle" }, x.name);
  }

  panel(panel, box) {
    const { svg } = this;
    const y = scaleOf(panel.y, box.bottom, box.top);
    const ticks = panel.y.ticks ?? ticksOf(panel.y, box.bottom - box.top, 34);
    for (const [value, text] of ticks) {
      draw(svg, "path", { d: `M${box.left} ${y(value)}H${box.right}`, stroke: panel.y.isGrid === false ? "none" : "var(--edge)" });
      draw(svg, "path", { d: `M${box.left - 5} ${y(value)}h5`, stroke: "var(--muted)" });
      draw(svg, "text", { x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, text);
    }
    const middle = (box.top + box.bottom) / 2;
    if (panel.y.name) draw(svg, "text", { x: 12, y: middle, transform: `rotate(-90 12 ${middle})`, "text-anchor": "middle" }, panel.y.name);
    const clip = `clip${(madeNames += 1)}`;
    draw(draw(svg, "clipPath", { id: clip }), "rect", { x: box.left, y: box.top - 5, width: Math.max(box.right - box.left + 5, 0), height: box.bottom - box.top + 10 });
    const inside = draw(svg, "g", { "clip-path": `url(#${clip})` });
    for (const rule of panel.rules ?? []) {
      draw(inside, "path", { d: `M${box.left} ${y(rule.at)}H${box.right}`, stroke: "var(--muted)", "stroke-dasharray": "2 3" });
      draw(svg, "text", { x: box.left + 5, y: y(rule.at) - 5, class: "halo" }, rule.words);
    }
    for (const series of panel.series) this.line(series, inside, y, panel);
    this.labels(panel, box, y);
  }

  line(series, inside, y, panel) {
    const { colour, width = 1.6, dash, points, band } = series;
    const at = ([x, value]) => `${this.x(x).toFixed(1)} ${y(value).toFixed(1)}`;
    if (band) {
      const high = band.map(([x, , top]) => at([x, top]));
      const low = band.map(([x, bottom]) => at([x, bottom])).reverse();
      draw(inside, "path", { d: `M${[...high, ...low].join("L")}Z`, fill: colour, opacity: 0.18 });
    }
    if (width && points.length) {
      draw(inside, "path", { d: `M${points.map(at).join("L")}`, fill: "none", stroke: series.stroke ?? colour, "stroke-width": width, "stroke-dasharray": DASHES[dash] ?? (dash?.includes("px") ? dash.replaceAll("px", "") : "none"), "stroke-linejoin": "round" });
    }
    points.forEach((point, index) => {
      const own = series.colours?.[index] ?? colour;
      if (series.symbol) {
        const isOpen = series.open?.[index] ?? series.symbol === "x";
        draw(inside, "path", { d: SYMBOLS[series.symbol](series.size ?? 4), transform: `translate(${at(point)})`, fill: isOpen ? "var(--st-background-color)" : own, stroke: own, "stroke-width": 1.5 });
      }
      const says = (series.says ?? panel.says)?.(series, point, index);
      if (says) this.points.push({ x: this.x(point[0]), y: y(point[1]), says });
    });
  }

  // At the end of a line, moved down where two would touch; or at a place of the label's own.
  labels(panel, box, y) {
    const ends = panel.series.filter((series) => series.end && series.points.length)
      .map((series) => ({ series, y: y(series.points.at(-1)[1]), x: this.x(series.points.at(-1)[0]) }))
      .sort((a, b) => a.y - b.y);
    ends.forEach((end, at) => { if (at) end.y = Math.max(end.y, ends[at - 1].y + LABEL_APART); });
    const over = ends.length ? ends.at(-1).y - box.bottom : 0;
    if (over > 0) ends.forEach((end) => { end.y -= Math.min(over, Math.max(ends.at(-1).y - box.bottom, 0)); });
    for (let at = ends.length - 2; at >= 0; at -= 1) ends[at].y = Math.min(ends[at].y, ends[at + 1].y - LABEL_APART);
    for (const { series, y: place, x } of ends) {
      draw(this.svg, "text", { x: x + 8, y: place + 4, style: `fill:${series.ink ?? series.colour}`, class: "halo" }, series.end);
    }
    const written = [];
    for (const { text, at, colour, isAfter } of panel.labels ?? []) {
      const [x, place] = [this.x(at[0]), y(at[1])];
      if (written.some(([otherX, other]) => Math.abs(otherX - x) < 130 && Math.abs(other - place) < 18)) continue;
      written.push([x, place]);
      const isLate = !isAfter && x > box.left + 0.7 * (box.right - box.left);
      draw(this.svg, "text", { x: x + (isLate ? -6 : 6), y: place - 6, "text-anchor": isLate ? "end" : "start", style: `fill:${colour}`, class: "halo" }, text);
    }
  }

  // Reads out the point that is nearest to the pointer.
  point(event) {
    let best = null;
    if (event) {
      const frame = this.svg.getBoundingClientRect();
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      const away = (point) => Math.hypot(point.x - x, point.y - y);
      for (const point of this.points) if (away(point) < 40 && (!best || away(point) < away(best))) best = point;
    }
    this.mark?.setAttribute("visibility", best ? "visible" : "hidden");
    if (best) {
      this.mark.setAttribute("cx", best.x);
      this.mark.setAttribute("cy", best.y);
    }
    setText(this.readout, best ? best.says : this.spec.hint ?? "Point at a curve to read it.");
  }
}
