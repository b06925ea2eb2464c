// The slope ladder: one dot a head on a base-2 axis, and hollow what the other rule would give.

function cssColour(stops, place) {
  return stops.length === 1 ? stops[0] : `rgb(${mixed(stops, place).join(" ")})`;
}

// The head's colour, by rank of its slope: steepest first on the ramp.
function headColours(slopes, stops) {
  const order = slopes.map((_, head) => head).sort((a, b) => slopes[b] - slopes[a] || a - b);
  const colours = new Array(slopes.length);
  order.forEach((head, rank) => {
    colours[head] = cssColour(stops, slopes.length > 1 ? rank / (slopes.length - 1) : 0);
  });
  return colours;
}

function ladderBox(width, height) {
  return { left: 52, right: width - 12, top: 14, bottom: height - 40 };
}

function drawLadder(canvas, view) {
  const { look, slopes, colours, state, otherSlopes } = view;
  const { width, height } = view.sizes.ladder;
  const context = prepare(canvas, width, height, view.ratio);
  const box = ladderBox(width, height);
  // At least the paper's eight octaves, so that the dots move and not only the numbers.
  const octaves = Math.max(8, state.exponent);
  const xOf = (head) => box.left + ((head - 0.5) / slopes.length) * (box.right - box.left);
  const yOf = (slope) => box.top + (-Math.log2(slope) / octaves) * (box.bottom - box.top);
  const powers = niceTicks(0, octaves, box.bottom - box.top, 26).filter(Number.isInteger);
  powers.forEach((power) => {
    const y = Math.round(yOf(2 ** -power)) + 0.5;
    line(context, look.grid, [[box.left, y], [box.right, y]]);
  });
  axisLeft(context, look, box, powers, (power) => yOf(2 ** -power), "slope, nats per token",
    (power) => (power === 0 ? "1" : power >= 10 ? `2${superscript(-power)}` : `1/${2 ** power}`));
  const heads = tokenTicks(slopes.length, box.right - box.left, 34).filter((head) => head > 0);
  axisBelow(context, look, box, heads[0] < 4 ? heads : [1, ...heads], xOf, "head");
  if (otherSlopes) {
    otherSlopes.forEach((slope, head) => dot(context, xOf(head + 1), yOf(slope), 3, look.muted, true));
    write(context, look, `○ ${state.rule === "geometric" ? "interleaved" : "geometric"}`,
      box.right, box.top - 2, { align: "right" });
  }
  const radius = slopes.length > 40 ? 2.5 : 4;
  slopes.forEach((slope, head) => dot(context, xOf(head + 1), yOf(slope), radius, colours[head]));
  labelDots(context, view, box, xOf, yOf);
}

// As many direct labels as fit without touching; the chosen head always has one.
function labelDots(context, view, box, xOf, yOf) {
  const { look, slopes, state } = view;
  const chosen = state.head - 1;
  const every = Math.ceil(slopes.length / Math.floor((box.right - box.left) / 56));
  const [x, y] = [xOf(state.head), yOf(slopes[chosen])];
  dot(context, x, y, slopes.length > 40 ? 5 : 7, look.text, true);
  slopes.forEach((slope, head) => {
    const isNear = head !== chosen && Math.abs(head - chosen) < every;
    if (head !== chosen && (head % every !== 0 || isNear)) return;
    const isLast = xOf(head + 1) + 40 > box.right;
    write(context, look, slopePower(slope), xOf(head + 1) + (isLast ? 4 : 8), yOf(slope) - 7, {
      colour: head === chosen ? look.text : look.muted, bold: head === chosen, halo: true,
      align: isLast ? "right" : "left",
    });
  });
}

function headOnLadder(view, x) {
  const box = ladderBox(view.sizes.ladder.width, view.sizes.ladder.height);
  const head = Math.ceil(((x - box.left) / (box.right - box.left)) * view.slopes.length);
  return Math.min(Math.max(head, 1), view.slopes.length);
}
