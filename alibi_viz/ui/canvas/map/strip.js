// The text itself: what the chosen token looks at, and what looks at it.

function fillStrip(view) {
  const strip = view.find(".strip");
  // Text nodes only: nothing in a text can become markup.
  const spans = view.tokens.map((text, index) => {
    const span = document.createElement("span");
    span.dataset.token = index;
    span.textContent = text.endsWith("\n") || text.includes("\n") ? text.replaceAll("\n", "⏎\n") : text || "∅";
    return span;
  });
  strip.replaceChildren(...spans);
  strip.setAttribute("aria-label", `The text, ${view.length} tokens; arrow keys move query and key`);
}

// Scrolls the text, never the page, so that the chosen token is inside.
function followToken(view) {
  const strip = view.find(".strip");
  const span = strip.children[view.fixed.query];
  const [top, bottom] = [span.offsetTop, span.offsetTop + span.offsetHeight];
  const isInside = top >= strip.scrollTop && bottom <= strip.scrollTop + strip.clientHeight;
  if (!isInside) strip.scrollTop = top - strip.clientHeight / 2;
}

// No darker or brighter than that: the text on it must be read in both themes.
const STRONGEST_SHADE = 0.42;

// The strongest weight is fully shaded; the square root lets weak ones be seen.
function shades(weights) {
  const highest = Math.max(...weights, 1e-12);
  return weights.map((weight) => Math.sqrt(weight / highest));
}

function shadeStrip(view) {
  const { head, cell, look, length } = view;
  const spans = view.find(".strip").children;
  const { query } = cell;
  const tokens = Array.from({ length }, (_, token) => token);
  const reads = shades(tokens.map((token) => head.weight(query, token)));
  const readBy = shades(tokens.map((token) => (token === query ? 0 : head.weight(token, query))));
  tokens.forEach((token) => {
    const isRead = token <= query;
    const shade = isRead ? reads[token] : readBy[token];
    const colour = isRead ? look.reads : look.readBy;
    spans[token].style.backgroundColor = shade < 0.05 ? "" : tinted(colour, STRONGEST_SHADE * shade);
    spans[token].className = token === query ? "query" : token === cell.key ? "key" : "";
  });
}

function tinted(colour, alpha) {
  return `rgb(${rgb(colour).join(" ")} / ${alpha.toFixed(3)})`;
}

function describeStrip(view) {
  const { head, cell, look, length, tokens } = view;
  const later = length - 1 - cell.query;
  const most = strongestReader(head, cell.query);
  const legend = view.find(".legend");
  const sample = (colour) => {
    const mark = document.createElement("i");
    mark.style.background = `linear-gradient(90deg, ${tinted(colour, 0.05)}, ${tinted(colour, STRONGEST_SHADE)})`;
    return mark;
  };
  const name = `${cell.query} “${shortToken(tokens[cell.query])}”`;
  const readers = most === null
    ? ` looks at ${name}: ${later ? "nothing of what follows" : "it is the last token"}`
    : ` looks at ${name}, most of all ${most} “${shortToken(tokens[most])}” (${weightWords(head.weight(most, cell.query), head.logWeight(most, cell.query))})`;
  const panel = view.shown.length > 1 ? ` (${view.header.panels[view.active].name})` : "";
  legend.replaceChildren(sample(look.reads), `${name} looks at`, sample(look.readBy), `${readers}${panel}`);
}

function strongestReader(head, key) {
  let best = null;
  for (let query = key + 1; query < head.length; query += 1) {
    const weight = head.weight(query, key);
    if (weight > 0 && (best === null || weight > head.weight(best, key))) best = query;
  }
  return best;
}
