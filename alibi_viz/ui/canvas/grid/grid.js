// All heads of a model at a glance: the largest weight of each part of the map, small.

class GridView extends CanvasView {
  constructor(root, host) {
    super(root, host);
    const grid = this.find(".grid");
    grid.onclick = (event) => this.pick(this.under(event));
    grid.onpointermove = (event) => this.tell(this.under(event));
    grid.onpointerleave = () => this.tell(null);
    grid.onkeydown = (event) => this.step(event);
    grid.onkeyup = grid.onblur = () => this.send();
  }

  update(component) {
    this.commit = component.setStateValue;
    const { header, arrays } = unpack(component.data);
    this.header = header;
    this.looks = header.looks;
    this.thumbnails = arrays.thumbnails;
    this.order = arrays.order;
    this.told = header.chosen;
    // What was chosen here a moment ago is newer than what the server knows.
    const isKept = performance.now() < this.keptUntil && this.chosen < this.count;
    if (!isKept) this.chosen = header.chosen;
    if (header.pictures !== this.picturedData) this.pictures = null;
    this.picturedData = header.pictures;
    this.draw();
  }

  get count() {
    return this.header.layers * this.header.heads;
  }

  // One picture a head, made once for the theme.
  makePictures() {
    const { size } = this.header;
    const ramp = colourRamp(this.look.map);
    this.pictures = Array.from({ length: this.count }, (_, head) => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = size;
      const image = new ImageData(size, size);
      const pixels = new Uint32Array(image.data.buffer);
      // Cells stand row by row up to the diagonal; the future stays clear.
      let cell = (head * size * (size + 1)) / 2;
      for (let row = 0; row < size; row += 1) {
        for (let column = 0; column <= row; column += 1) pixels[row * size + column] = ramp[this.thumbnails[cell++]];
      }
      canvas.getContext("2d").putImageData(image, 0, 0);
      return canvas;
    });
  }

  drawAll() {
    const { layers, heads, isTable } = this.header;
    const { theme } = this.look;
    if (!this.pictures || this.pictured !== theme) this.makePictures();
    this.pictured = theme;
    const width = Math.floor(this.root.getBoundingClientRect().width) - 2;
    this.root.classList.toggle("slim", width < 370);
    const height = Math.max(260, this.roomBelow - 110);
    this.layout = arrange(width, height, layers, heads, isTable, this.look.type);
    const rows = Math.ceil(this.count / this.layout.columns);
    const tall = Math.ceil(this.layout.top + rows * this.layout.pitchY);
    this.find(".scroll").style.maxHeight = `${Math.max(height + 60, 200)}px`;
    this.context = prepare(this.find(".grid"), width, tall, this.ratio);
    if (this.layout.isTable) this.labelTable();
    this.order.forEach((head, place) => this.drawHead(head, place));
    this.describe();
    this.root.dataset.chosen = this.chosen;
    const half = this.layout.side / 2;
    this.root.dataset.last = JSON.stringify(cornerAt(this.layout, this.count - 1).map((start) => start + half));
  }

  drawHead(head, place) {
    const { layout, look, context } = this;
    const [x, y] = cornerAt(layout, place);
    const top = y + layout.label;
    if (layout.label) this.labelHead(head, x, y);
    context.fillStyle = look.panel;
    context.fillRect(x, top, layout.side, layout.side);
    context.imageSmoothingEnabled = true;
    context.drawImage(this.pictures[head], x, top, layout.side, layout.side);
    if (head !== this.chosen) return;
    context.strokeStyle = look.accent;
    context.lineWidth = 2.5;
    context.strokeRect(x - 0.5, top - 0.5, layout.side + 1, layout.side + 1);
  }

  // A picture's side as ordinary type would have it for its labels.
  get room() {
    return this.layout.side / this.look.type;
  }

  labelHead(head, x, y) {
    const { layout, look, context, header } = this;
    const [layer, index] = [Math.floor(head / header.heads), head % header.heads];
    const bottom = y + layout.label - 3;
    const size = this.room < 44 ? 9 : 11;
    const name = `${layer + 1}·${index + 1}`;
    write(context, look, name, x, bottom, { size, colour: look.text, bold: head === this.chosen });
    const slope = this.slopeLabel(head);
    const beside = layout.side - context.measureText(name).width - 3;
    if (this.room < 40 || context.measureText(slope).width > beside) return;
    write(context, look, slope, x + layout.side, bottom, { size, align: "right", colour: this.colour(head) });
  }

  // Layers down, heads across; a head has the same slope in every layer, or its own label says so.
  labelTable() {
    const { layout, look, context, header } = this;
    for (let head = 0; head < header.heads; head += 1) {
      const middle = layout.left + head * layout.pitchX + layout.side / 2;
      write(context, look, `${head + 1}`, middle, layout.top - 20, { align: "center", colour: look.text });
      if (header.slopes) {
        write(context, look, this.slopeLabel(head), middle, layout.top - 7, { align: "center", size: this.room < 32 ? 8 : 10, colour: this.colour(head) });
      }
    }
    for (let layer = 0; layer < header.layers; layer += 1) {
      write(context, look, `${layer + 1}`, layout.left - 10, layout.top + layer * layout.pitchY + layout.side / 2, { align: "right", baseline: "middle", colour: look.text });
    }
    write(context, look, "layer", 0, layout.top - 7, { size: 10 });
    write(context, look, "head", 0, layout.top - 20, { size: 10 });
  }

  slopeLabel(head) {
    const slope = this.header.slopes?.[head];
    if (slope === undefined) return "";
    if (slope === 0) return "0";
    return this.room >= 32 && isUnitFraction(slope) ? slopePower(slope) : slopeShort(slope);
  }

  colour(head) {
    return this.header.colours[this.look.theme][head];
  }

  describe() {
    const { header } = this;
    setText(this.find(".count"), header.title);
    const grid = this.find(".grid");
    grid.setAttribute("aria-valuemax", this.count);
    grid.setAttribute("aria-valuenow", this.order.indexOf(this.chosen) + 1);
    grid.setAttribute("aria-valuetext", header.words[this.chosen]);
    this.tell(null);
  }

  tell(head) {
    setText(this.find(".words"), this.header.words[head ?? this.chosen]);
  }

  under(event) {
    const [x, y] = within(event);
    const { layout } = this;
    const place = this.order.findIndex((_, index) => {
      const [left, top] = cornerAt(layout, index);
      return x >= left && x < left + layout.side && y >= top && y < top + layout.side + layout.label;
    });
    return place < 0 ? null : this.order[place];
  }

  pick(head) {
    if (head === null) return;
    this.choose(head);
    this.send();
  }

  choose(head) {
    this.chosen = head;
    this.keptUntil = performance.now() + PATIENCE_MS;
    this.draw();
  }

  step(event) {
    const place = placeByKey(event, this.order.indexOf(this.chosen), this.layout.columns, this.count);
    if (place === null) return;
    event.preventDefault();
    this.choose(this.order[place]);
  }

  send() {
    if (this.told === this.chosen) return;
    this.told = this.chosen;
    this.keptUntil = performance.now() + PATIENCE_MS;
    this.commit("head", this.chosen);
  }
}

export default mount(".overview", GridView);
