// Numbers as the canvases write them.

const SUPERSCRIPTS = { "-": "⁻" };
"0123456789".split("").forEach((digit, value) => {
  SUPERSCRIPTS[digit] = "⁰¹²³⁴⁵⁶⁷⁸⁹"[value];
});

function superscript(number) {
  return [...String(number)].map((sign) => SUPERSCRIPTS[sign]).join("");
}

function withMinus(text) {
  return text.replace("-", "−");
}

// Three significant digits, never with an exponent above a ten-thousandth.
function plain(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return withMinus(Math.round(value).toLocaleString("en"));
  if (size >= 1e-4) return withMinus(String(Number(value.toPrecision(3))));
  return withMinus(powerOfTen(Math.log(size), value < 0 ? "-" : ""));
}

function powerOfTen(logarithm, sign = "") {
  const tens = logarithm / Math.LN10;
  let exponent = Math.floor(tens);
  let digits = (10 ** (tens - exponent)).toFixed(1);
  if (digits === "10.0") [digits, exponent] = ["1.0", exponent + 1];
  return `${sign}${digits === "1.0" ? "" : `${digits}·`}10${superscript(exponent)}`;
}

function weightText(logarithm) {
  return logarithm >= Math.log(1e-4) ? plain(Math.exp(logarithm)) : powerOfTen(logarithm);
}

function biasText(bias) {
  if (bias === 0) return "0.00";
  return Math.abs(bias) < 0.005 ? plain(bias) : withMinus(bias.toFixed(2));
}

// Whether a slope is one over a power of two: 1/2, 1/4 ...
function isUnitFraction(slope) {
  const exponent = Math.log2(slope);
  return exponent < -0.5 && Math.abs(exponent - Math.round(exponent)) < 1e-9;
}

// "1/8" where the slope is one over a power of two, else three digits.
function slopePower(slope) {
  return isUnitFraction(slope) ? `1/${Math.round(1 / slope).toLocaleString("en")}` : plain(slope);
}

// As short as a label over a small triangle must be: ".125", "3e-5".
function slopeShort(slope) {
  if (slope < 1e-3) return slope.toExponential(0).replace("-", "−");
  return String(Number(slope.toPrecision(2))).replace(/^0/, "");
}

function slopeText(slope) {
  return isUnitFraction(slope) ? `${slopePower(slope)} = ${plain(slope)}` : plain(slope);
}

function tokens(count) {
  return `${count.toLocaleString("en")} token${count === 1 ? "" : "s"}`;
}
