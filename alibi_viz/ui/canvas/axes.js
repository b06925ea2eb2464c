// Canvases that fit the screen's pixels, and what is drawn on several. Lengths are CSS pixels.

const SMALL = 11;

// Sets a canvas to a size and returns its context in CSS pixels, cleared.
function prepare(canvas, width, height, ratio) {
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// Round numbers from low to high, about one for every `room` of `span` pixels.
function niceTicks(low, high, span, room) {
  const raw = ((high - low) * room) / Math.max(span, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((part) => part * power >= raw * 0.999) ?? 10);
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1) {
    ticks.push(n === 0 ? 0 : n * step);
  }
  return ticks;
}

// Whole tokens only: a short sequence has no token 0.5.
function tokenTicks(last, span, room) {
  return niceTicks(0, last, span, room).filter((tick) => Number.isInteger(Number(tick.toFixed(6))));
}

function write(context, look, text, x, y, options = {}) {
  const { align = "left", baseline = "alphabetic", colour = look.muted, size = SMALL } = options;
  context.font = `${options.bold ? "600 " : ""}${size * look.type}px ${look.font}`;
  context.fillStyle = colour;
  context.textAlign = align;
  context.textBaseline = baseline;
  if (options.halo) {
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = look.background;
    context.strokeText(text, x, y);
  }
  context.fillText(text, x, y);
}

function line(context, colour, points, width = 1) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}

// A short stroke and a number for each tick below a plot, and the axis' name at its right end.
function axisBelow(context, look, box, ticks, place, name) {
  line(context, look.muted, [[box.left, box.bottom + 0.5], [box.right, box.bottom + 0.5]]);
  for (const tick of ticks) {
    const x = Math.round(place(tick)) + 0.5;
    line(context, look.muted, [[x, box.bottom], [x, box.bottom + 4]]);
    const text = tick.toLocaleString("en");
    write(context, look, text, x, box.bottom + 7, { align: "center", baseline: "top" });
  }
  write(context, look, name, (box.left + box.right) / 2, box.bottom + 22, {
    align: "center", baseline: "top", size: 12,
  });
}

// The same to the left of a plot; the name stands upright along the axis.
function axisLeft(context, look, box, ticks, place, name, textOf = (tick) => tick.toLocaleString("en")) {
  line(context, look.muted, [[box.left - 0.5, box.top], [box.left - 0.5, box.bottom]]);
  for (const tick of ticks) {
    const y = Math.round(place(tick)) + 0.5;
    line(context, look.muted, [[box.left - 4, y], [box.left, y]]);
    write(context, look, textOf(tick), box.left - 7, y, { align: "right", baseline: "middle" });
  }
  if (!name) return;
  context.save();
  context.translate(box.left - 45, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  write(context, look, name, 0, 0, { align: "center", baseline: "middle", size: 12 });
  context.restore();
}

function dot(context, x, y, radius, colour, isOutline = false) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (isOutline) {
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.stroke();
  } else {
    context.fillStyle = colour;
    context.fill();
  }
}

// The cell that is read out, around (x, y): lines along its row and column, and its outline.
function drawCross(context, look, box, x, y, size) {
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
