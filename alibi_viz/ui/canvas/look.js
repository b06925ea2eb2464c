// The theme's colours, the page's font, and how large it wants its type.

// Pixels of a rem in the ordinary theme, and how far labels may grow before they touch.
const REM = 15;
const LARGEST_TYPE = 1.25;

function rgb(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

function isDark(host) {
  const background = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  if (!/^#[0-9a-f]{6}$/i.test(background)) return false;
  const [red, green, blue] = rgb(background);
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}

// How much larger than usual the page wants its type, for a projector.
function typeScale() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.min(rem / REM, LARGEST_TYPE);
}

function lookOf(root, host, looks) {
  const theme = isDark(host) ? "dark" : "light";
  return { ...looks[theme], theme, font: getComputedStyle(root).fontFamily, type: typeScale() };
}
