// Which value has which colour: ranges of the views, and pixels of a part of the map.

const SAMPLED = 20000;

// Values in rising order, a sample of those that are numbers.
function sample(values) {
  const step = Math.max(1, Math.floor(values.length / SAMPLED));
  // A step that shares a factor with the row length would sample a few columns only.
  const odd = step % 2 ? step : step + 1;
  const found = [];
  for (let index = 0; index < values.length; index += odd) {
    if (Number.isFinite(values[index])) found.push(values[index]);
  }
  return Float64Array.from(found).sort();
}

function quantile(sorted, share) {
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
}

// The lowest and the highest number: of a straight line none is an exception.
function extremes(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? [0, 0] : [low, high];
}

// The values at the two ends of the ramp, and whether values beyond them take the end's colour.
function rangeOf(view, allValues, length) {
  const sorted = allValues.map(sample);
  const lowest = (share) => Math.min(...sorted.map((values) => quantile(values, share)));
  const highest = (share) => Math.max(...sorted.map((values) => quantile(values, share)));
  if (view === "weight") return [0, Math.max(highest(0.99), 1 / length)];
  if (view === "log weight") return [Math.log(Math.min(1e-4, 0.05 / length)), 0];
  if (view === "position") {
    const ends = allValues.map(extremes);
    const low = Math.min(...ends.map((pair) => pair[0]));
    return [low, Math.max(...ends.map((pair) => pair[1]), low + 1e-6)];
  }
  return [lowest(0.005), Math.max(highest(0.999), lowest(0.005) + 1e-6)];
}

function differenceRange(values) {
  const sizes = sample(values).map(Math.abs).sort();
  const end = quantile(sizes, 0.995) || quantile(sizes, 1) || 1e-6;
  return [-end, end];
}

// The first and one past the last token under each pixel of an axis.
function tokensUnder(pixels, start, span, length) {
  const first = new Int32Array(pixels);
  const after = new Int32Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const low = Math.floor(start + (pixel / pixels) * span);
    const high = Math.floor(start + ((pixel + 1) / pixels) * span);
    first[pixel] = Math.min(Math.max(low, 0), length - 1);
    after[pixel] = Math.min(Math.max(high, low + 1), length);
  }
  return { first, after };
}

// Of several cells under a pixel the largest is shown, of differences the largest either way: one
// strong key must not vanish between its neighbours.
function strongest(values, length, rows, columns, isDifference) {
  let best = NaN;
  for (let query = rows[0]; query < rows[1]; query += 1) {
    for (let key = columns[0]; key < columns[1]; key += 1) {
      const value = values[query * length + key];
      if (value !== value) continue;
      const isMore = isDifference ? Math.abs(value) > Math.abs(best) : value > best;
      if (best !== best || isMore) best = value;
    }
  }
  return best;
}

// Pixels of a part of a map; what is masked stays clear.
function paintPart(image, values, length, part, range, ramp, isDifference) {
  const { width, height } = image;
  const pixels = new Uint32Array(image.data.buffer);
  const columns = tokensUnder(width, part.key, part.span, length);
  const rows = tokensUnder(height, part.query, part.span, length);
  const scale = (ramp.length - 1) / (range[1] - range[0]);
  const top = ramp.length - 1;
  for (let y = 0; y < height; y += 1) {
    if (y && rows.first[y] === rows.first[y - 1] && rows.after[y] === rows.after[y - 1]) {
      pixels.copyWithin(y * width, (y - 1) * width, y * width);
      continue;
    }
    const isOneRow = rows.after[y] - rows.first[y] === 1;
    for (let x = 0; x < width; x += 1) {
      const isOneCell = isOneRow && columns.after[x] - columns.first[x] === 1;
      const value = isOneCell
        ? values[rows.first[y] * length + columns.first[x]]
        : strongest(values, length, [rows.first[y], rows.after[y]],
          [columns.first[x], columns.after[x]], isDifference);
      const place = (value - range[0]) * scale;
      const isMasked = place !== place;
      pixels[y * width + x] = isMasked ? 0 : ramp[place <= 0 ? 0 : place >= top ? top : (place + 0.5) | 0];
    }
  }
}
