// The other end of alibi_viz.ui.canvas.pack: four bytes of length, a header of JSON, the arrays.

const ARRAY_TYPES = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

function unpack(bytes) {
  // A copy starts at zero, as typed arrays need it.
  const data = bytes.slice();
  const size = new DataView(data.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size)));
  const arrays = {};
  for (const [name, { type, shape, start }] of Object.entries(header.arrays)) {
    const count = shape.reduce((product, part) => product * part, 1);
    arrays[name] = new ARRAY_TYPES[type](data.buffer, 4 + size + start, count);
  }
  return { header, arrays };
}
