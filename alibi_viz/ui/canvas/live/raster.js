// The maps: one head's causal triangle as pixels.
//
// A bias depends on the distance alone, so a row of the map is the row above it, moved by one cell.
// Weights have one more number a row, the row's normaliser. Nothing here grows with length squared.

// Per row a number, per distance a number: their sum (or product) is the place on the ramp.
function placesOnRamp(grid, slope, mode, [low, high]) {
  const perStep = new Float64Array(grid.count);
  const perRow = new Float64Array(grid.count);
  const size = (RAMP_SIZE - 1) / (high - low || 1);
  for (let cell = 0; cell < grid.count; cell += 1) {
    const bias = -slope * distanceOfCells(grid, cell);
    const normaliser = mode === "bias" ? 0 : logNormaliser(slope, tokenOfCell(grid, cell));
    if (mode === "weight") {
      perStep[cell] = Math.exp(bias) * size;
      perRow[cell] = Math.exp(-normaliser);
    } else {
      perStep[cell] = bias * size;
      perRow[cell] = (-normaliser - low) * size;
    }
  }
  return { perStep, perRow };
}

// Writes the triangle into `pixels`, (count x count), query down, key across; the future stays clear.
function paintTriangle(pixels, grid, slope, mode, range, ramp) {
  const { count } = grid;
  const { perStep, perRow } = placesOnRamp(grid, slope, mode, range);
  const top = RAMP_SIZE - 1;
  const isProduct = mode === "weight";
  const colourAt = (row, steps) => {
    const place = isProduct ? perStep[steps] * perRow[row] : perStep[steps] + perRow[row];
    return ramp[place <= 0 ? 0 : place >= top ? top : (place + 0.5) | 0];
  };
  pixels.fill(0);
  for (let row = 0; row < count; row += 1) {
    const start = row * count;
    pixels[start] = colourAt(row, row);
    if (row > 0 && perRow[row] === perRow[row - 1]) {
      pixels.copyWithin(start + 1, start - count, start - count + row);
    } else {
      for (let column = 1; column <= row; column += 1) {
        pixels[start + column] = colourAt(row, row - column);
      }
    }
  }
}

// Keeps the pixels of a square map between frames.
class MapPainter {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.context = this.canvas.getContext("2d");
    this.image = null;
  }

  // Draws one head's triangle into a square of `size` device pixels.
  paint(target, left, topEdge, size, { slope, length, mode, range, ramp }) {
    const grid = cellGrid(length, size);
    if (!this.image || this.image.width !== grid.count) {
      this.canvas.width = this.canvas.height = grid.count;
      this.image = new ImageData(grid.count, grid.count);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    paintTriangle(this.pixels, grid, slope, mode, range, ramp);
    this.context.putImageData(this.image, 0, 0);
    target.imageSmoothingEnabled = false;
    target.drawImage(this.canvas, left, topEdge, size, size);
    return grid;
  }
}
