// The maps with their axes and colour bars; above them the cell that is read out.

function drawBase(view) {
  const { layout, look, ratio } = view;
  const context = prepare(view.find(".base"), layout.width, layout.height, ratio);
  const hatch = hatchPattern(context, look);
  layout.boxes.forEach((box, panel) => {
    const shown = view.shown[panel];
    context.fillStyle = hatch;
    context.fillRect(box.left, box.top, layout.side, layout.side);
    greyRows(context, view, box, shown.head);
    paintPanel(context, view, box, shown);
    drawAxes(context, view, box, panel);
    write(context, look, shown.title, box.left, box.top - 8, { size: 12, colour: look.text });
  });
  drawBars(context, view);
}

function paintPanel(context, view, box, { values, range, ramp, isDifference }) {
  const { ratio, part, layout, length } = view;
  const size = Math.max(1, Math.round(layout.side * ratio));
  const image = new ImageData(size, size);
  paintPart(image, values, length, part, range, ramp, isDifference);
  view.buffer.width = view.buffer.height = size;
  view.buffer.getContext("2d").putImageData(image, 0, 0);
  context.drawImage(view.buffer, box.left, box.top, layout.side, layout.side);
}

// Queries that see no key have no attention: a plain grey bar, unlike any value.
function greyRows(context, view, box, head) {
  const { part, layout, look, length } = view;
  const size = layout.side / part.span;
  context.fillStyle = look.grid;
  for (let query = Math.floor(part.query); query < Math.min(part.query + part.span, length); query += 1) {
    if (!head.seesNothing(query)) continue;
    const top = Math.max(box.top, box.top + (query - part.query) * size);
    const bottom = Math.min(box.bottom, box.top + (query + 1 - part.query) * size);
    context.fillRect(box.left, top, layout.side, bottom - top);
  }
}

function drawAxes(context, view, box, panel) {
  const { part, layout, look, length } = view;
  const size = layout.side / part.span;
  const across = (token) => box.left + (token + 0.5 - part.key) * size;
  const down = (token) => box.top + (token + 0.5 - part.query) * size;
  const isFirst = panel === 0 || layout.isNarrow;
  line(context, look.muted, [[box.left, box.bottom + 0.5], [box.right, box.bottom + 0.5]]);
  line(context, look.muted, [[box.left - 0.5, box.top], [box.left - 0.5, box.bottom]]);
  const hasTokens = size >= READABLE && !layout.isNarrow;
  if (hasTokens) {
    tokensBelow(context, view, box, across);
    if (isFirst) tokensLeft(context, view, box, down);
  } else {
    numbersBelow(context, view, box, across);
    if (isFirst) numbersLeft(context, view, box, down);
  }
  write(context, look, part.isAll ? "key, token" : `key, token, ${Math.round(part.span)} of ${length}`,
    (box.left + box.right) / 2, box.bottom + (hasTokens ? layout.below - 4 : 34), { align: "center", size: 12 });
  if (!isFirst) return;
  context.save();
  context.translate(box.left - layout.left + 8, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  write(context, look, "query, token", 0, 0, { align: "center", baseline: "middle", size: 12 });
  context.restore();
}

function ticksOf(start, view) {
  const { part, layout, length } = view;
  const last = Math.min(start + part.span, length) - 1;
  return niceTicks(Math.max(start, 0), last, layout.side, 62)
    .filter((tick) => Number.isInteger(Number(tick.toFixed(6))));
}

function numbersBelow(context, view, box, across) {
  for (const tick of ticksOf(view.part.key, view)) {
    const x = Math.round(across(tick)) + 0.5;
    line(context, view.look.muted, [[x, box.bottom], [x, box.bottom + 4]]);
    write(context, view.look, tick.toLocaleString("en"), x, box.bottom + 7, { align: "center", baseline: "top" });
  }
}

function numbersLeft(context, view, box, down) {
  for (const tick of ticksOf(view.part.query, view)) {
    const y = Math.round(down(tick)) + 0.5;
    line(context, view.look.muted, [[box.left - 4, y], [box.left, y]]);
    write(context, view.look, tick.toLocaleString("en"), box.left - 7, y, { align: "right", baseline: "middle" });
  }
}

function tokensIn(start, view) {
  const first = Math.ceil(start - 0.5);
  const last = Math.min(Math.floor(start + view.part.span - 0.5), view.length - 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

// No higher than a cell, whatever the page's type.
function tokenSize(view) {
  return Math.min(SMALL, view.layout.side / view.part.span / view.look.type);
}

function tokensBelow(context, view, box, across) {
  for (const token of tokensIn(view.part.key, view)) {
    context.save();
    context.translate(across(token), box.bottom + 5);
    context.rotate(-Math.PI / 2);
    write(context, view.look, shortToken(view.tokens[token], 8), 0, 0, {
      align: "right", baseline: "middle", size: tokenSize(view),
    });
    context.restore();
  }
}

function tokensLeft(context, view, box, down) {
  for (const token of tokensIn(view.part.query, view)) {
    write(context, view.look, shortToken(view.tokens[token], 10), box.left - 5, down(token), {
      align: "right", baseline: "middle", size: tokenSize(view),
    });
  }
}

function drawBars(context, view) {
  const { shown, layout } = view;
  const plainPanels = shown.filter((panel) => !panel.isDifference);
  const last = layout.boxes[plainPanels.length - 1];
  drawBar(context, view, last, plainPanels[0]);
  const difference = shown[shown.length - 1];
  if (difference.isDifference) drawBar(context, view, layout.boxes[shown.length - 1], difference);
}

const UNITS = { weight: "weight", "log weight": "weight, log", logit: "nats", content: "nats", position: "nats" };

function drawBar(context, view, box, { range, stops, isDifference }) {
  const { look } = view;
  const [low, high] = range;
  const [left, right, top, bottom] = [box.right + 12, box.right + 22, box.top + 20, box.bottom];
  const gradient = context.createLinearGradient(0, bottom, 0, top);
  stops.forEach((colour, index) => gradient.addColorStop(index / (stops.length - 1), colour));
  context.fillStyle = gradient;
  context.fillRect(left, top, right - left, bottom - top);
  const placeOf = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
  for (const { value, text } of ticksOfBar(view.kind, low, high, isDifference, bottom - top)) {
    const y = Math.min(Math.max(Math.round(placeOf(value)), top), bottom - 1) + 0.5;
    line(context, look.muted, [[right, y], [right + 4, y]]);
    write(context, look, text, right + 6, y, { baseline: "middle" });
  }
  const isRatio = isDifference && view.kind === "log weight";
  write(context, look, isRatio ? "ln of ratio" : UNITS[view.kind], left, box.top, { baseline: "top", size: 12 });
}

// Ends with "≤" and "≥" where values beyond them share their colour; round numbers between.
function ticksOfBar(kind, low, high, isDifference, height) {
  if (kind === "log weight" && !isDifference) {
    const powers = niceTicks(low / Math.LN10, high / Math.LN10, height, 50).filter(Number.isInteger);
    const inner = powers.map((power) => power * Math.LN10).filter((value) => value - low > (high - low) * 0.07);
    return [{ value: low, text: `≤ ${weightText(low)}` },
      ...inner.map((value) => ({ value, text: weightText(value) }))];
  }
  const near = (high - low) * 0.07;
  const inner = niceTicks(low, high, height, 50)
    .filter((tick) => tick - low > near && high - tick > near)
    .map((value) => ({ value, text: plain(value) }));
  const isExact = kind === "position" && !isDifference;
  const start = kind === "weight" && !isDifference ? "0" : `${isExact ? "" : "≤ "}${plain(Number(low.toPrecision(3)))}`;
  return [{ value: low, text: start }, ...inner,
    { value: high, text: `${isExact ? "" : "≥ "}${plain(Number(high.toPrecision(3)))}` }];
}

// The cell that is read out, in every panel.
function drawMark(view) {
  const { layout, part, cell } = view;
  const context = prepare(view.find(".mark"), layout.width, layout.height, view.ratio);
  const size = layout.side / part.span;
  for (const box of layout.boxes) {
    const x = box.left + (cell.key + 0.5 - part.key) * size;
    const y = box.top + (cell.query + 0.5 - part.query) * size;
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, layout.side, layout.side);
    context.clip();
    // The ramp is the same in both themes, and so is what stands out on it.
    drawCross(context, view.looks.light, box, x, y, size);
    context.restore();
  }
}
