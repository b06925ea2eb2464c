// What the two canvas components of the page share: patience with the server, and the theme.

// A change made here outlives answers of the server that do not know it yet.
const PATIENCE_MS = 2000;

function isDark(host) {
  const background = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  if (!/^#[0-9a-f]{6}$/i.test(background)) return false;
  const [red, green, blue] = rgb(background);
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
