// The one permitted second copy of alibi_viz.maths: what must be known sixty times a second while a
// slider is dragged. tests/browser compares every function here with its original.
//
// A slope is in nats per token, a distance in tokens, a weight comes from zero content. The weights
// of one row are a geometric sequence, so its sum is known in closed form; expm1 and log1p keep it
// exact where slope * length is far below 1 or far above 700.

function largestPowerOfTwo(nHead) {
  return 2 ** (31 - Math.clz32(nHead));
}

function geometricSlopes(nHead, maxExponent) {
  return Array.from({ length: nHead }, (_, head) => 2 ** (-(maxExponent * (head + 1)) / nHead));
}

function alibiSlopes(nHead, maxExponent, rule) {
  if (rule === "geometric") return geometricSlopes(nHead, maxExponent);
  const power = largestPowerOfTwo(nHead);
  const everySecond = geometricSlopes(2 * power, maxExponent).filter((_, head) => head % 2 === 0);
  return [...geometricSlopes(power, maxExponent), ...everySecond].slice(0, nHead);
}

function rulesDiffer(nHead) {
  return largestPowerOfTwo(nHead) !== nHead;
}

// ln of the sum over d = 0 .. query of exp(-slope * d)
function logNormaliser(slope, query) {
  return Math.log(Math.expm1(-slope * (query + 1)) / Math.expm1(-slope));
}

// ln of the attention weight; the weight itself underflows long before its logarithm does.
function logWeight(slope, query, distance) {
  return -slope * distance - logNormaliser(slope, query);
}

// The share of a query's attention on its nearest `count` keys.
function massOfNearest(slope, query, count) {
  return Math.expm1(-slope * count) / Math.expm1(-slope * (query + 1));
}

// The smallest number of nearest keys, the query's own included, that hold at least `mass`.
function effectiveWindow(slope, query, mass) {
  const reach = Math.log1p(mass * Math.expm1(-slope * (query + 1))) / -slope;
  let count = Math.min(Math.max(Math.ceil(reach), 1), query + 1);
  // The logarithm may round across a whole number.
  while (count > 1 && massOfNearest(slope, query, count - 1) >= mass) count -= 1;
  while (count <= query && massOfNearest(slope, query, count) < mass) count += 1;
  return count;
}

// The values that the two ends of the colour ramp stand for.
// bias: nats, the last query's farthest key to 0.
// weight: 0 to what the last query gives to its own key; earlier queries give more and are clipped.
// log weight: natural logarithms; per head the last query's farthest key to its own key.
const SHARED_LOG_FLOOR = Math.log(1e-6);

function colourRange(mode, scale, slopes, head, length) {
  const steepest = Math.max(...slopes);
  const slope = scale === "shared" ? steepest : slopes[head];
  const last = length - 1;
  if (mode === "bias") return [-slope * last, 0];
  if (mode === "weight") return [0, Math.exp(logWeight(slope, last, 0))];
  if (scale === "shared") return [SHARED_LOG_FLOOR, 0];
  return [logWeight(slope, last, last), logWeight(slope, last, 0)];
}

// Which tokens the cells of a map stand for. A map of fewer cells than tokens shows the token at
// the centre of each cell; the distances stay a function of row minus column.
function cellGrid(length, pixels) {
  const count = Math.max(1, Math.min(length, Math.floor(pixels)));
  return { count, stride: length / count };
}

function tokenOfCell(grid, cell) {
  return Math.floor((cell + 0.5) * grid.stride);
}

function distanceOfCells(grid, steps) {
  return Math.round(steps * grid.stride);
}
