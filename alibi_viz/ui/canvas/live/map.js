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

// To the right of the map, low values down; below it where the screen is narrow, low values left.
function drawColourBar(context, view, box) {
  const { look, state, range } = view;
  const [low, high] = range;
  const isAcross = view.isNarrow;
  const bar = isAcross
    ? { left: box.left, right: box.right, top: box.bottom + 58, bottom: box.bottom + 68 }
    : { left: box.right + 22, right: box.right + 34, top: box.top + 22, bottom: box.bottom };
  const gradient = isAcross
    ? context.createLinearGradient(bar.left, 0, bar.right, 0)
    : context.createLinearGradient(0, bar.bottom, 0, bar.top);
  look.map.forEach((colour, index) => gradient.addColorStop(index / (look.map.length - 1), colour));
  context.fillStyle = gradient;
  context.fillRect(bar.left, bar.top, bar.right - bar.left, bar.bottom - bar.top);
  const shareOf = (value) => (value - low) / (high - low || 1);
  barTicks(state.colour, low, high, isAcross ? 110 : 60).forEach(({ value, text }) => {
    if (isAcross) {
      const x = Math.round(bar.left + shareOf(value) * (bar.right - bar.left - 1)) + 0.5;
      line(context, look.muted, [[x, bar.bottom], [x, bar.bottom + 4]]);
      const align = value === low ? "left" : value === high ? "right" : "center";
      write(context, look, text, x, bar.bottom + 6, { align, baseline: "top" });
    } else {
      const y = Math.round(bar.bottom - 1 - shareOf(value) * (bar.bottom - bar.top - 1)) + 0.5;
      line(context, look.muted, [[bar.right, y], [bar.right + 4, y]]);
      write(context, look, text, bar.right + 7, y, { baseline: "middle" });
    }
  });
  const name = { bias: "bias, nats", weight: "weight", "log weight": "weight, log axis" }[state.colour];
  write(context, look, name, bar.left, bar.top - (isAcross ? 6 : 8), { size: 12 });
}

// Ticks of the colour bar; "≥" and "≤" where values beyond the end share its colour.
function barTicks(mode, low, high, room) {
  // An inner tick keeps away from the ends, which always have one.
  const margin = (high - low) * (room / 300) * 0.6;
  const inside = (tick) => tick - low > margin && high - tick > margin;
  if (mode === "bias") {
    const inner = niceTicks(low, high, 300, room).filter(inside);
    return [low, ...inner, high].map((value) => ({ value, text: plain(value) }));
  }
  if (mode === "weight") {
    const inner = niceTicks(low, high, 300, room).filter(inside);
    return [...[low, ...inner].map((value) => ({ value, text: plain(value) })),
      { value: high, text: `≥ ${plain(high)}` }];
  }
  const tens = niceTicks(low / Math.LN10, high / Math.LN10, 300, room)
    .map((power) => power * Math.LN10).filter(inside);
  const isFloor = low === SHARED_LOG_FLOOR;
  return [{ value: low, text: `${isFloor ? "≤ " : ""}${weightText(low)}` },
    ...tens.map((value) => ({ value, text: weightText(value) })),
    { value: high, text: `${high < 0 ? "≥ " : ""}${weightText(high)}` }];
}

function drawMark(canvas, view) {
  const { length, cell } = view;
  const { width, height, side } = view.sizes.map;
  const context = prepare(canvas, width, height, view.ratio);
  const box = mapBox(view);
  // The ramp is the same in both themes, and so is what stands out on it.
  const look = view.looks.light;
  const size = side / length;
  const [x, y] = [box.left + (cell.key + 0.5) * size, box.top + (cell.query + 0.5) * size];
  drawCross(context, look, box, x, y, size);
}

function cellUnder(view, x, y) {
  const box = mapBox(view);
  const side = view.sizes.map.side;
  if (x < box.left || y < box.top || x >= box.right || y >= box.bottom) return null;
  const token = (offset) => Math.min(Math.floor((offset / side) * view.length), view.length - 1);
  return { query: token(y - box.top), key: token(x - box.left) };
}
