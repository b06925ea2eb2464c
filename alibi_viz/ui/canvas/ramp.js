// Colours along a ramp, and the hatch of what has no value.

const RAMP_SIZE = 256;

function mixed(stops, place) {
  const at = Math.min(Math.max(place, 0), 1) * (stops.length - 1);
  const below = Math.min(Math.floor(at), stops.length - 2);
  const [low, high] = [rgb(stops[below]), rgb(stops[below + 1])];
  return low.map((part, index) => Math.round(part + (high[index] - part) * (at - below)));
}

// (256,) colours from the lowest value to the highest, as canvas pixels: alpha, blue, green, red.
function colourRamp(stops) {
  const ramp = new Uint32Array(RAMP_SIZE);
  for (let step = 0; step < RAMP_SIZE; step += 1) {
    const [red, green, blue] = mixed(stops, step / (RAMP_SIZE - 1));
    ramp[step] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return ramp;
}

// The masked future: thin strokes against the direction of the diagonal, on the panel's colour.
function hatchPattern(context, look) {
  const side = 7;
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const pen = tile.getContext("2d");
  pen.fillStyle = look.background;
  pen.fillRect(0, 0, side, side);
  pen.strokeStyle = look.grid;
  pen.beginPath();
  for (const shift of [-side, 0, side]) {
    pen.moveTo(shift - 1, side + 1);
    pen.lineTo(shift + side + 1, -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
