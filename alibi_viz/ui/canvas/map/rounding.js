// Number types of checkpoints, so that a head is shown as the checkpoint ran it.

const BITS = new DataView(new ArrayBuffer(4));

// Rounds to nearest, ties to even, after dropping the lowest bits of a float32's mantissa.
function dropBits(value, count) {
  if (!Number.isFinite(value)) return value;
  BITS.setFloat32(0, value);
  const bits = BITS.getUint32(0);
  const half = 2 ** (count - 1);
  const isOdd = Math.floor(bits / 2 ** count) % 2;
  const rounded = bits + half - 1 + isOdd;
  BITS.setUint32(0, rounded - (rounded % 2 ** count));
  return BITS.getFloat32(0);
}

function toFloat16(value) {
  const size = Math.abs(value);
  // Below its normal numbers float16 has steps of 2^-24.
  if (size < 2 ** -14) {
    const steps = size * 2 ** 24;
    const below = Math.floor(steps);
    const rest = steps - below;
    const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
    return Math.sign(value) * (below + (up ? 1 : 0)) * 2 ** -24;
  }
  const rounded = dropBits(value, 13);
  return Math.abs(rounded) > 65504 ? Math.sign(value) * Infinity : rounded;
}

const ROUND = {
  float64: (value) => value,
  float32: Math.fround,
  bfloat16: (value) => dropBits(value, 16),
  float16: toFloat16,
};
