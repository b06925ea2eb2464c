// Pointer and keyboard.

// Panel, cell and place in the box under a point of the canvas.
function under(view, [x, y]) {
  const panel = view.layout.boxes.findIndex(
    (box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom);
  if (panel < 0) return null;
  const box = view.layout.boxes[panel];
  const [across, down] = [(x - box.left) / view.layout.side, (y - box.top) / view.layout.side];
  const token = (start, place) => Math.min(Math.floor(start + place * view.part.span), view.length - 1);
  return { panel, place: [across, down], query: token(view.part.query, down), key: token(view.part.key, across) };
}

function listen(view) {
  const mark = view.find(".mark");
  const strip = view.find(".strip");
  mark.onpointerdown = (event) => startDrag(view, event);
  mark.onpointermove = (event) => movePointer(view, event);
  mark.onpointerup = mark.onpointercancel = () => endDrag(view);
  mark.onpointerleave = () => {
    view.hovered = null;
    view.ask("cell");
  };
  mark.onclick = (event) => {
    const found = view.wasDragged ? null : under(view, within(event));
    if (!found) return;
    view.active = view.shown[found.panel].isDifference ? 0 : found.panel;
    view.chooseCell(found.query, found.key);
    view.send();
  };
  mark.ondblclick = (event) => {
    const found = under(view, within(event));
    if (found) view.zoom(0.5, found.place);
  };
  mark.onwheel = (event) => turnWheel(view, event);
  mark.onkeydown = (event) => pressKey(view, event);
  mark.onkeyup = mark.onblur = () => view.send();
  strip.onclick = (event) => chooseToken(view, event.target);
  strip.onkeydown = (event) => pressKey(view, event);
  strip.onkeyup = () => view.send();
  view.root.querySelectorAll("[data-zoom]").forEach((button) => {
    button.onclick = () => view.zoomTo(button.dataset.zoom);
  });
  view.find(".save").onclick = () => savePicture(view);
}

function startDrag(view, event) {
  view.wasDragged = false;
  if (view.part.isAll || event.button !== 0 || event.pointerType === "touch") return;
  view.drag = { at: within(event), query: view.part.query, key: view.part.key };
  event.currentTarget.setPointerCapture(event.pointerId);
}

function movePointer(view, event) {
  const at = within(event);
  if (view.drag) {
    const [x, y] = [at[0] - view.drag.at[0], at[1] - view.drag.at[1]];
    if (Math.abs(x) + Math.abs(y) < 4 && !view.wasDragged) return;
    view.wasDragged = true;
    view.find(".mark").classList.add("dragged");
    const perPixel = view.part.span / view.layout.side;
    Object.assign(view.part, { query: view.drag.query, key: view.drag.key });
    view.part.move(-x * perPixel, -y * perPixel);
    view.ask("all");
    return;
  }
  view.hovered = under(view, at);
  view.ask("cell");
}

function endDrag(view) {
  view.drag = null;
  view.find(".mark").classList.remove("dragged");
}

// The page scrolls as ever; the map zooms with ctrl, which pinching sends too, or once it is chosen.
function turnWheel(view, event) {
  const isChosen = view.find(".mark") === view.find(".mark").getRootNode().activeElement;
  const found = under(view, within(event));
  if (!found || !(event.ctrlKey || event.metaKey || isChosen)) return;
  event.preventDefault();
  view.zoom(Math.exp(Math.min(Math.max(event.deltaY, -60), 60) / 150), found.place);
}

function pressKey(view, event) {
  const zoom = { "+": "in", "=": "in", "-": "out", 0: "all" }[event.key];
  if (zoom && !isShortcut(event)) view.zoomTo(zoom);
  const cell = cellByKey(event, view.fixed, view.part.span);
  if (!cell) return;
  event.preventDefault();
  view.chooseCell(...cell);
  view.find(".spoken").textContent = cellWords(view);
}

// A token of the text becomes the query; the key stays where it can.
function chooseToken(view, element) {
  const token = Number(element.dataset?.token);
  if (!Number.isInteger(token) || !element.dataset.token) return;
  view.chooseCell(token, Math.min(view.fixed.key, token));
  view.send();
}
