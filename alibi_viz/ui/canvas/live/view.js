// The live view: state in, pictures and words out.

const MASS = 0.95;
const NARROW = 860;
const FACTS = 178;
const BAR = 92;
const LOWER_HEIGHT = 182;

class LiveView extends CanvasView {
  constructor(root, host) {
    super(root, host);
    this.painter = new MapPainter();
    this.pending = new Pending();
    this.hovered = null;
    this.stopWatching = watchSliders((isHeld) => this.follow(isHeld));
    listen(this);
  }

  update(component) {
    this.data = component.data;
    this.looks = component.data.looks;
    this.commit = component.setStateValue;
    this.draw();
  }

  stop() {
    super.stop();
    this.stopWatching();
  }

  follow(isHeld) {
    this.isHeld = isHeld;
    const before = this.state;
    const now = readSliders(this.data.sliders);
    const moved = Object.keys(now).filter((key) => now[key] !== before[key]);
    moved.forEach((key) => this.pending.set(key, now[key]));
    if (moved.length) this.draw();
  }

  settle() {
    const { look } = this;
    const state = this.pending.over(this.data, this.isHeld);
    this.slopes = alibiSlopes(state.heads, state.exponent, state.rule);
    const otherRule = state.rule === "geometric" ? "interleaved" : "geometric";
    this.otherSlopes = rulesDiffer(state.heads)
      ? alibiSlopes(state.heads, state.exponent, otherRule) : null;
    this.colours = headColours(this.slopes, look.heads);
    this.state = { ...state, head: Math.min(state.head, state.heads) };
    this.slope = this.slopes[this.state.head - 1];
    this.length = state.length;
    this.range = colourRange(state.colour, state.scale, this.slopes, this.state.head - 1, state.length);
    if (this.rampOf !== look.map.join()) {
      this.rampOf = look.map.join();
      this.ramp = colourRamp(look.map);
    }
    this.measure();
    this.hatch = hatchPattern(this.find(".base").getContext("2d"), look);
  }

  // The map is as large as the screen's height allows; the left column takes the rest.
  measure() {
    const width = Math.floor(this.root.getBoundingClientRect().width);
    const isNarrow = width < NARROW;
    this.isNarrow = isNarrow;
    this.root.classList.toggle("narrow", isNarrow);
    const around = MAP_LEFT + (isNarrow ? 14 : BAR);
    const room = isNarrow ? width - around : width - around - FACTS - 32 - Math.min(400, width * 0.34);
    // Narrow in a wide window: it stands beside a text, and all of it should fit the screen.
    const isBeside = isNarrow && window.innerWidth >= NARROW;
    this.root.classList.toggle("beside-text", isBeside);
    const tallest = isNarrow && !isBeside ? 640 : Math.max(300, window.innerHeight - 505);
    const side = Math.floor(Math.max(160, Math.min(room, tallest)));
    const right = isNarrow ? width : side + around + FACTS;
    const left = isNarrow ? width : width - right - 32;
    this.root.style.gridTemplateColumns = isNarrow ? "100%" : `${left}px ${right}px`;
    const mapHeight = MAP_TOP + side + (isNarrow ? 92 : 40);
    this.sizes = {
      map: { width: around + side, height: mapHeight, side },
      grid: { width: left, height: isNarrow ? Math.min(left, isBeside ? 110 : 360) : mapHeight - 4 },
      ladder: { width: left, height: LOWER_HEIGHT },
      row: { width: right, height: LOWER_HEIGHT },
    };
  }

  // The cell under the pointer, else the chosen one, else one that suits the length.
  place() {
    const last = this.length - 1;
    const chosen = this.state.cell ?? [Math.round((400 / 511) * last), Math.round((352 / 511) * last)];
    const query = Math.min(chosen[0], last);
    this.fixed = { query, key: Math.min(chosen[1], query) };
    const hovered = this.hovered && cellUnder(this, ...this.hovered);
    this.cell = hovered ?? this.fixed;
    this.window = effectiveWindow(this.slope, this.cell.query, MASS);
  }

  drawAll() {
    this.settle();
    drawMap(this.find(".base"), this);
    drawGrid(this.find(".grid"), this);
    drawLadder(this.find(".ladder"), this);
    this.drawCell();
    describeHeads(this);
    const { heads, exponent, length } = this.state;
    this.root.dataset.shown = JSON.stringify({ heads, exponent, length });
    this.root.dataset.map = JSON.stringify(mapBox(this));
  }

  drawCell() {
    this.place();
    drawMark(this.find(".mark"), this);
    drawRow(this.find("canvas.row"), this);
    describeCell(this);
  }

  chooseHead(head) {
    if (head === this.state.head) return;
    this.pending.set("head", head);
    this.draw();
  }

  chooseCell(query, key) {
    const last = this.length - 1;
    const kept = Math.min(Math.max(query, 0), last);
    this.pending.set("cell", [kept, Math.min(Math.max(key, 0), kept)]);
    this.state.cell = this.pending.changes.get("cell").value;
    this.hovered = null;
    this.drawCell();
  }

  // Tells the server, so that the link and the rest of the page follow.
  send(key) {
    const change = this.pending.changes.get(key);
    if (!change || JSON.stringify(this.data[key]) === JSON.stringify(change.value)) return;
    this.pending.set(key, change.value);
    this.commit(key, change.value);
  }
}

export default mount(".live", LiveView);
