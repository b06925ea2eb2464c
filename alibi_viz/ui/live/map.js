// The large map of the chosen head with its axes, its colour bar and the cell that is read out;
// and the grid of all heads.

const MAP_LEFT = 52;
const MAP_TOP = 6;

function mapBox(view) {
  const side = view.sizes.map.side;
  return { left: MAP_LEFT, top: MAP_TOP, right: MAP_LEFT + side, bottom: MAP_TOP + side };
}

function drawMap(canvas, view) {
  const { look, length, ratio } = view;
  const { width, height, side } = view.sizes.map;
  const context = prepare(canvas, width, height, ratio);
  const box = mapBox(view);
  context.fillStyle = view.hatch;
  context.fillRect(box.left, box.top, side, side);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  view.grid = view.painter.paint(context, Math.round(box.left * ratio), Math.round(box.top * ratio),
    Math.round(side * ratio), {
      slope: view.slope, length, mode: view.state.colour, range: view.range, ramp: view.ramp,
    });
  context.restore();
  const ticks = tokenTicks(length - 1, side, 62);
  const place = (start) => (token) => start + ((token + 0.5) / length) * side;
  axisBelow(context, look, box, ticks, place(box.left), "key, token");
  axisLeft(context, look, box, ticks, place(box.top), "query, token");
  write(context, look, "masked: the future", box.right - 10, box.top + 12, {
    align: "right", baseline: "top", size: 12, halo: true,
  });
  drawColourBar(context, view, box);
}

function drawColourBar(context, view, box) {
  const { look, state, range } = view;
  const [low, high] = range;
  const [left, right] = [box.right + 22, box.right + 34];
  const [top, bottom] = [box.top + 22, box.bottom];
  const gradient = context.createLinearGradient(0, bottom, 0, top);
  look.map.forEach((colour, index) => gradient.addColorStop(index / (look.map.length - 1), colour));
  context.fillStyle = gradient;
  context.fillRect(left, top, right - left, bottom - top);
  const placeOf = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
  barTicks(state.colour, low, high).forEach(({ value, text }) => {
    const y = Math.min(Math.max(Math.round(placeOf(value)), top), bottom - 1) + 0.5;
    line(context, look.muted, [[right, y], [right + 4, y]]);
    write(context, look, text, right + 7, y, { baseline: "middle" });
  });
  const name = { bias: "bias, nats", weight: "weight", "log weight": "weight, log" }[state.colour];
  write(context, look, name, left, box.top, { baseline: "top", size: 12 });
}

// Ticks of the colour bar; "≥" and "≤" where values beyond the end share its colour.
function barTicks(mode, low, high) {
  if (mode === "bias") {
    const inner = niceTicks(low, high, 300, 60).filter((tick) => tick - low > (high - low) * 0.08);
    return [low, ...inner].map((value) => ({ value, text: plain(value) }));
  }
  if (mode === "weight") {
    const inner = niceTicks(low, high, 300, 60).filter((tick) => high - tick > (high - low) * 0.08);
    return [...inner.map((value) => ({ value, text: plain(value) })),
      { value: high, text: `≥ ${plain(high)}` }];
  }
  const tens = niceTicks(low / Math.LN10, high / Math.LN10, 300, 50)
    .map((power) => power * Math.LN10)
    .filter((tick) => tick - low > (high - low) * 0.06 && high - tick > (high - low) * 0.06);
  const ends = [{ value: low, text: `≤ ${weightText(low)}` },
    { value: high, text: `${high < 0 ? "≥ " : ""}${weightText(high)}` }];
  return [...tens.map((value) => ({ value, text: weightText(value) })), ...ends];
}

// The cell that is read out: lines along its row and column to the diagonal, and its outline.
function drawMark(canvas, view) {
  const { length, cell } = view;
  const { width, height, side } = view.sizes.map;
  const context = prepare(canvas, width, height, view.ratio);
  const box = mapBox(view);
  // The ramp is the same in both themes, and so is what stands out on it.
  const look = view.data.looks.light;
  const size = side / length;
  const [x, y] = [box.left + (cell.key + 0.5) * size, box.top + (cell.query + 0.5) * size];
  const half = Math.max(size / 2, 5);
  for (const [colour, thickness] of [[look.background, 3], [look.text, 1]]) {
    context.globalAlpha = thickness > 1 ? 0.55 : 1;
    line(context, colour, [[box.left, y], [x - half, y]], thickness);
    line(context, colour, [[x, y + half], [x, box.bottom]], thickness);
    context.strokeStyle = colour;
    context.lineWidth = thickness > 1 ? 4 : 1.5;
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
  }
  context.globalAlpha = 1;
}

function cellUnder(view, x, y) {
  const box = mapBox(view);
  const side = view.sizes.map.side;
  if (x < box.left || y < box.top || x >= box.right || y >= box.bottom) return null;
  const token = (offset) => Math.min(Math.floor((offset / side) * view.length), view.length - 1);
  return { query: token(y - box.top), key: token(x - box.left) };
}
