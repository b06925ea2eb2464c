// One query's row: its bias as a line, below it its softmax as an area, on one distance axis.

function rowBoxes({ width, height }) {
  const [left, right, bottom] = [52, width - 14, height - 40];
  const middle = Math.round(16 + (bottom - 16) * 0.46);
  return {
    bias: { left, right, top: 16, bottom: middle - 10 },
    weight: { left, right, top: middle + 8, bottom },
  };
}

// What stands at each pixel column: of several tokens the nearest, whose weight is the largest.
function distancesAcross(length, span) {
  const stride = length / span;
  if (stride <= 1) return Array.from({ length }, (_, distance) => distance);
  return Array.from({ length: Math.floor(span) }, (_, column) => Math.ceil(column * stride));
}

function drawRow(canvas, view) {
  const { look, state, slope, cell, length } = view;
  const context = prepare(canvas, view.sizes.row.width, view.sizes.row.height, view.ratio);
  const boxes = rowBoxes(view.sizes.row);
  const { left, right } = boxes.weight;
  // A token is as wide as a bar: distance 0 reaches from the axis to one token.
  const edgeOf = (distance) => left + (distance / length) * (right - left);
  const centreOf = (distance) => edgeOf(distance + 0.5);
  drawPastStart(context, view, boxes, edgeOf(cell.query + 1));
  drawWindow(context, view, boxes, edgeOf);
  const farthest = -slope * (length - 1);
  const biasY = (bias) => boxes.bias.top + (bias / farthest || 0) * (boxes.bias.bottom - boxes.bias.top);
  line(context, look.grid, [[left, boxes.bias.top + 0.5], [right, boxes.bias.top + 0.5]]);
  axisLeft(context, look, boxes.bias, [0, farthest], biasY, "", plain);
  line(context, view.colours[state.head - 1],
    [[centreOf(0), biasY(0)], [centreOf(cell.query), biasY(-slope * cell.query)]], 2);
  const highest = Math.exp(logWeight(slope, cell.query, 0));
  const weightY = (weight) => boxes.weight.bottom - (weight / highest) * (boxes.weight.bottom - boxes.weight.top);
  drawWeights(context, view, edgeOf, weightY, boxes.weight.bottom);
  axisLeft(context, look, boxes.weight, [0, highest], weightY, "", plain);
  const ticks = tokenTicks(length - 1, right - left, 64);
  axisBelow(context, look, boxes.weight, ticks, centreOf, "distance from the query, tokens");
  nameParts(context, view, boxes, edgeOf);
  markCell(context, view, boxes, centreOf, biasY, weightY);
}

function drawPastStart(context, view, boxes, start) {
  for (const box of [boxes.bias, boxes.weight]) {
    if (start >= box.right - 0.5) continue;
    context.fillStyle = view.hatch;
    context.fillRect(start, box.top, box.right - start, box.bottom - box.top);
  }
}

function drawWindow(context, view, boxes, edgeOf) {
  const { look, window: count } = view;
  const end = Math.max(edgeOf(count), boxes.bias.left + 1);
  context.fillStyle = look.shade;
  context.fillRect(boxes.bias.left, boxes.bias.top - 12, end - boxes.bias.left,
    boxes.weight.bottom - boxes.bias.top + 12);
  line(context, look.muted, [[end, boxes.bias.top - 12], [end, boxes.weight.bottom]]);
}

function drawWeights(context, view, edgeOf, weightY, bottom) {
  const { slope, cell, length } = view;
  const colour = view.colours[view.state.head - 1];
  const distances = distancesAcross(length, edgeOf(length) - edgeOf(0)).filter((d) => d <= cell.query);
  context.beginPath();
  context.moveTo(edgeOf(0), bottom);
  distances.forEach((distance, index) => {
    const y = weightY(Math.exp(logWeight(slope, cell.query, distance)));
    context.lineTo(edgeOf(distance), y);
    context.lineTo(edgeOf(Math.min(distances[index + 1] ?? cell.query + 1, cell.query + 1)), y);
  });
  context.lineTo(edgeOf(cell.query + 1), bottom);
  context.closePath();
  context.globalAlpha = 0.35;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.2;
  context.stroke();
}

function nameParts(context, view, boxes, edgeOf) {
  const { look, window: count, cell } = view;
  const x = boxes.bias.right - 6;
  const options = { align: "right", baseline: "top", colour: look.text, halo: true, size: 12 };
  write(context, look, "bias, nats", x, boxes.bias.top + 3, options);
  write(context, look, "softmax weight", x, boxes.weight.top + 1, options);
  const text = `95 % of query ${cell.query} within ${tokens(count)}`;
  const end = edgeOf(count);
  const isLate = end > (boxes.bias.left + boxes.bias.right) / 2;
  write(context, look, text, end + (isLate ? -6 : 6), boxes.bias.top - 4,
    { align: isLate ? "right" : "left", halo: !isLate });
}

function markCell(context, view, boxes, centreOf, biasY, weightY) {
  const { look, slope, cell } = view;
  if (cell.key > cell.query) return;
  const distance = cell.query - cell.key;
  const x = centreOf(distance);
  line(context, look.text, [[x, boxes.bias.top - 4], [x, boxes.weight.bottom]]);
  dot(context, x, biasY(-slope * distance), 3.5, look.text);
  dot(context, x, weightY(Math.exp(logWeight(slope, cell.query, distance))), 3.5, look.text);
}
