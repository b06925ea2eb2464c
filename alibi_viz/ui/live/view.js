// The live view: state in, pictures and words out. One instance a mounted component.

const MASS = 0.95;
const NARROW = 860;
// Pixels of a rem in the ordinary theme, and how far labels may grow before they touch.
const REM = 15;
const LARGEST_TYPE = 1.25;
const FACTS = 178;
const BAR = 92;
const LOWER_HEIGHT = 182;

function isDark(host) {
  const background = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  if (!/^#[0-9a-f]{6}$/i.test(background)) return false;
  const [red, green, blue] = rgb(background);
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}

// How much larger than usual the page wants its type, for a projector.
function typeScale() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.min(rem / REM, LARGEST_TYPE);
}

class LiveView {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.find = (selector) => root.querySelector(selector);
    this.painter = new MapPainter();
    this.pending = new Pending();
    this.hovered = null;
    this.isWaiting = false;
    this.draws = 0;
    this.stopWatching = watchSliders((isHeld) => this.follow(isHeld));
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(root.parentElement ?? host);
    listen(this);
  }

  // Called by Streamlit with new data, or when the theme changes.
  update(component) {
    this.data = component.data;
    this.commit = component.setStateValue;
    this.draw();
  }

  stop() {
    this.stopWatching();
    this.observer.disconnect();
    this.isStopped = true;
  }

  follow(isHeld) {
    this.isHeld = isHeld;
    const before = this.state;
    const now = readSliders(this.data.sliders);
    const moved = Object.keys(now).filter((key) => now[key] !== before[key]);
    moved.forEach((key) => this.pending.set(key, now[key]));
    if (moved.length) this.draw();
  }

  // At most one drawing a frame, whatever asks for it.
  ask(part = "all") {
    if (this.asked !== "all") this.asked = part;
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      const asked = this.asked;
      this.asked = null;
      if (this.isStopped) return;
      if (asked === "all") this.draw();
      else this.drawCell();
    });
  }

  settle() {
    const state = this.pending.over(this.data, this.isHeld);
    this.ratio = window.devicePixelRatio || 1;
    const look = this.data.looks[isDark(this.host) ? "dark" : "light"];
    this.look = { ...look, font: getComputedStyle(this.root).fontFamily, type: typeScale() };
    this.root.style.setProperty("--muted", look.muted);
    this.slopes = alibiSlopes(state.heads, state.exponent, state.rule);
    const otherRule = state.rule === "geometric" ? "interleaved" : "geometric";
    this.otherSlopes = rulesDiffer(state.heads)
      ? alibiSlopes(state.heads, state.exponent, otherRule) : null;
    this.colours = headColours(this.slopes, look.heads);
    this.state = { ...state, head: Math.min(state.head, state.heads) };
    this.slope = this.slopes[this.state.head - 1];
    this.length = state.length;
    this.range = colourRange(state.colour, state.scale, this.slopes, this.state.head - 1, state.length);
    if (this.rampOf !== look.map.join()) {
      this.rampOf = look.map.join();
      this.ramp = colourRamp(look.map);
    }
    this.measure();
    this.hatch = hatchPattern(this.find(".base").getContext("2d"), look, 1);
  }

  // The map is as large as the screen's height allows; the left column takes the rest.
  measure() {
    const width = Math.floor(this.root.getBoundingClientRect().width);
    const isNarrow = width < NARROW;
    this.isNarrow = isNarrow;
    this.root.classList.toggle("narrow", isNarrow);
    const around = MAP_LEFT + (isNarrow ? 14 : BAR);
    const room = isNarrow ? width - around : width - around - FACTS - 32 - Math.min(400, width * 0.34);
    const tallest = isNarrow ? 640 : Math.max(300, window.innerHeight - 505);
    const side = Math.floor(Math.max(160, Math.min(room, tallest)));
    const right = isNarrow ? width : side + around + FACTS;
    const left = isNarrow ? width : width - right - 32;
    this.root.style.gridTemplateColumns = isNarrow ? "100%" : `${left}px ${right}px`;
    const mapHeight = MAP_TOP + side + (isNarrow ? 92 : 40);
    this.sizes = {
      map: { width: around + side, height: mapHeight, side },
      grid: { width: left, height: isNarrow ? Math.min(left, 360) : mapHeight - 4 },
      ladder: { width: left, height: LOWER_HEIGHT },
      row: { width: right, height: LOWER_HEIGHT },
    };
  }

  // The cell under the pointer, else the chosen one, else one that suits the length.
  place() {
    const last = this.length - 1;
    const chosen = this.state.cell ?? [Math.round((400 / 511) * last), Math.round((352 / 511) * last)];
    const query = Math.min(chosen[0], last);
    this.fixed = { query, key: Math.min(chosen[1], query) };
    const hovered = this.hovered && cellUnder(this, ...this.hovered);
    this.cell = hovered ?? this.fixed;
    this.window = effectiveWindow(this.slope, this.cell.query, MASS);
  }

  draw() {
    if (!this.data) return;
    const start = performance.now();
    this.settle();
    drawMap(this.find(".base"), this);
    drawGrid(this.find(".grid"), this);
    drawLadder(this.find(".ladder"), this);
    this.drawCell();
    describeHeads(this);
    this.draws += 1;
    this.root.dataset.draws = this.draws;
    this.root.dataset.drawMs = (performance.now() - start).toFixed(2);
    const { heads, exponent, length } = this.state;
    this.root.dataset.shown = JSON.stringify({ heads, exponent, length });
    this.root.dataset.map = JSON.stringify(mapBox(this));
  }

  drawCell() {
    this.place();
    drawMark(this.find(".mark"), this);
    drawRow(this.find("canvas.row"), this);
    describeCell(this);
  }

  chooseHead(head) {
    if (head === this.state.head) return;
    this.pending.set("head", head);
    this.draw();
  }

  chooseCell(query, key) {
    const last = this.length - 1;
    const kept = Math.min(Math.max(query, 0), last);
    this.pending.set("cell", [kept, Math.min(Math.max(key, 0), kept)]);
    this.state.cell = this.pending.changes.get("cell").value;
    this.hovered = null;
    this.drawCell();
  }

  // Tells the server, so that the link and the rest of the page follow.
  send(key) {
    const change = this.pending.changes.get(key);
    if (!change || JSON.stringify(this.data[key]) === JSON.stringify(change.value)) return;
    this.pending.set(key, change.value);
    this.commit(key, change.value);
  }
}
