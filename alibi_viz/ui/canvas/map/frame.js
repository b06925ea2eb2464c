// Where the panels, their axes and the colour bars stand, and which part of the map they show.

// Room for labels and the read-out in ordinary type; it grows with the type.
const LEFT_NUMBERS = 56;
const LEFT_TOKENS = 84;
const BELOW = 66;
const ABOVE = 22;
const BAR_ROOM = 78;
const READOUT = 218;

const BETWEEN = 22;
// A token's text can be read on an axis where its cell is at least as high.
const READABLE = 9.5;
const SMALLEST_SPAN = 8;
const PHONE = 640;

// Sizes for a width and a height: one panel has its read-out beside it, several have it below.
function layOut(width, panels, hasDifference, height, type) {
  const isNarrow = width < 560 * type;
  const isWide = panels > 1;
  const perRow = isNarrow ? 1 : panels;
  const [left, below, above, barRoom] = [isNarrow ? LEFT_NUMBERS : LEFT_TOKENS, BELOW, ABOVE, BAR_ROOM]
    .map((room) => Math.round(room * type));
  const bars = isWide && hasDifference && !isNarrow ? 2 : 1;
  const beside = isNarrow || isWide ? 0 : Math.round(READOUT * type);
  const room = (width - left - bars * barRoom - beside - (perRow - 1) * BETWEEN) / perRow;
  // A phone is scrolled; elsewhere the whole map should stand on the screen.
  const tallest = window.innerWidth < PHONE ? 640 : Math.max(220, height - above - below);
  const side = Math.floor(Math.max(150, Math.min(room, tallest)));
  const boxes = [];
  for (let panel = 0; panel < panels; panel += 1) {
    const isLastOfTwo = hasDifference && panel === panels - 1 && !isNarrow;
    const x = isNarrow ? left : left + panel * (side + BETWEEN) + (isLastOfTwo ? barRoom : 0);
    const y = above + (isNarrow ? panel * (side + below + above) : 0);
    boxes.push({ left: x, top: y, right: x + side, bottom: y + side });
  }
  const last = boxes[boxes.length - 1];
  return {
    isNarrow, isWide, boxes, side, left, below,
    width: last.right + barRoom,
    height: last.bottom + below,
  };
}

// The square part of the map that is shown: its first query and key, and how many tokens.
class Part {
  constructor(length) {
    this.length = length;
    this.showAll();
  }

  showAll() {
    Object.assign(this, { query: 0, key: 0, span: this.length });
  }

  get isAll() {
    return this.span >= this.length;
  }

  // Zooms so that the token under a place of the box stays there.
  zoom(factor, [across, down]) {
    const smallest = Math.min(SMALLEST_SPAN, this.length);
    const span = Math.min(Math.max(this.span * factor, smallest), this.length);
    this.key += across * (this.span - span);
    this.query += down * (this.span - span);
    this.span = span;
    this.keepInside();
  }

  move(keys, queries) {
    this.key += keys;
    this.query += queries;
    this.keepInside();
  }

  // Moves just so far that a cell is inside.
  include(query, key) {
    const into = (start, token) => Math.min(Math.max(start, token + 1 - this.span), token);
    this.query = into(this.query, query);
    this.key = into(this.key, key);
    this.keepInside();
  }

  keepInside() {
    const last = this.length - this.span;
    this.query = Math.min(Math.max(this.query, 0), last);
    this.key = Math.min(Math.max(this.key, 0), last);
  }
}
