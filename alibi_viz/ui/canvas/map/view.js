// The attention maps of one text: state in, pictures and words out.

class AttentionView extends CanvasView {
  constructor(root, host) {
    super(root, host);
    this.buffer = document.createElement("canvas");
    this.hovered = null;
    this.active = 0;
    listen(this);
  }

  update(component) {
    this.commit = component.setStateValue;
    const { header, arrays } = unpack(component.data);
    const isNewText = header.text !== this.header?.text;
    const isNewHead = header.heads !== this.header?.heads;
    const isNewView = header.view !== this.header?.view;
    this.header = header;
    this.looks = header.looks;
    this.told = { query: header.cell[0], key: header.cell[1] };
    Object.assign(this, { length: header.length, tokens: header.tokens, kind: header.view });
    if (isNewText) {
      this.part = new Part(this.length);
      this.keptUntil = 0;
      fillStrip(this);
    }
    if (isNewHead || isNewText) {
      this.heads = header.panels.map((about, index) => {
        const Kind = about.isGiven ? GivenHead : Head;
        return new Kind(about, arrays, index, this.length);
      });
      this.active = Math.min(this.active, this.heads.length - 1);
    }
    if (isNewHead || isNewText || isNewView) this.fillPanels();
    // The pointer may rest where a shorter text or fewer maps have no cell.
    if (isNewText || this.hovered?.panel >= this.panels.length) this.hovered = null;
    // What was chosen here a moment ago is newer than what the server knows.
    if (!(performance.now() < this.keptUntil)) this.fixed = this.told;
    this.draw();
    followToken(this);
  }

  fillPanels() {
    const values = this.heads.map((head) => head.values(this.kind));
    const range = rangeOf(this.kind, values, this.length);
    this.panels = this.heads.map((head, index) => ({
      head, values: values[index], range,
      title: this.header.panels[index].title, name: this.header.panels[index].name,
    }));
    if (!this.header.difference) return;
    const head = new Difference(this.heads[0], this.heads[1]);
    const change = values[1].map((value, index) => value - values[0][index]);
    this.panels.push({
      head, values: change, range: differenceRange(change), title: this.header.difference, name: "difference",
      isDifference: true,
    });
  }

  // What stands above the maps, within this component.
  get stackTop() {
    return this.find(".stack").getBoundingClientRect().top - this.root.getBoundingClientRect().top;
  }

  settle() {
    this.shown = this.panels.map((panel) => {
      const stops = panel.isDifference ? this.look.difference : this.look.map;
      return { ...panel, stops, ramp: colourRamp(stops) };
    });
    const width = Math.floor(this.root.getBoundingClientRect().width);
    this.layout = layOut(width, this.shown.length, Boolean(this.header.difference), this.roomBelow - this.stackTop, this.look.type);
    this.root.classList.toggle("narrow", this.layout.isNarrow);
    this.root.classList.toggle("wide", this.layout.isWide && !this.layout.isNarrow);
  }

  drawAll() {
    this.settle();
    drawBase(this);
    this.drawCell();
    this.root.dataset.heads = this.header.heads;
    this.root.dataset.view = this.kind;
    this.root.dataset.part = JSON.stringify([this.part.query, this.part.key, this.part.span]);
  }

  // The cell under the pointer, else the chosen one.
  drawCell() {
    const { query, key } = this.hovered ?? this.fixed;
    this.cell = { query, key };
    if (this.hovered && !this.shown[this.hovered.panel].isDifference) this.active = this.hovered.panel;
    this.head = this.heads[this.active];
    drawMark(this);
    shadeStrip(this);
    describe(this);
    this.root.dataset.cell = JSON.stringify([query, key]);
    this.root.dataset.values = JSON.stringify(this.shown.map(({ head }) =>
      Object.fromEntries(QUANTITIES.map((quantity) => [quantity, head.value(quantity, query, key)]))));
  }

  chooseCell(query, key) {
    const last = this.length - 1;
    const kept = Math.min(Math.max(query, 0), last);
    this.fixed = { query: kept, key: Math.min(Math.max(key, 0), kept) };
    this.keptUntil = performance.now() + PATIENCE_MS;
    this.hovered = null;
    const before = [this.part.query, this.part.key].join();
    this.part.include(this.fixed.query, this.fixed.key);
    if (before === [this.part.query, this.part.key].join()) this.drawCell();
    else this.draw();
    followToken(this);
  }

  zoom(factor, place) {
    this.part.zoom(factor, place);
    this.ask("all");
  }

  // Towards the cell that is read out, away from it, or back to the whole.
  zoomTo(target) {
    if (target === "all") this.part.showAll();
    else {
      const { query, key } = this.fixed;
      if (target === "in") this.part.include(query, key);
      const place = (token, start) => (token + 0.5 - start) / this.part.span;
      this.part.zoom(target === "in" ? 0.5 : 2, [place(key, this.part.key), place(query, this.part.query)]);
    }
    this.draw();
  }

  // Tells the server, so that the link follows.
  send() {
    const { query, key } = this.fixed;
    if (this.told.query === query && this.told.key === key) return;
    this.told = this.fixed;
    this.keptUntil = performance.now() + PATIENCE_MS;
    this.commit("cell", [query, key]);
  }
}

export default mount(".attention", AttentionView);
