// Pointer and keyboard on the canvases.

function listen(view) {
  const [grid, ladder, mark] = [view.find(".grid"), view.find(".ladder"), view.find(".mark")];
  const pick = (head) => {
    if (!head) return;
    view.chooseHead(head);
    view.send("head");
  };
  grid.onclick = (event) => pick(headUnder(view, ...within(event)));
  ladder.onclick = (event) => pick(headOnLadder(view, within(event)[0]));
  grid.onkeydown = (event) => moveHead(view, event);
  grid.onkeyup = grid.onblur = () => view.send("head");
  mark.onpointermove = (event) => {
    view.hovered = within(event);
    view.ask("cell");
  };
  mark.onpointerleave = () => {
    view.hovered = null;
    view.ask("cell");
  };
  mark.onclick = (event) => {
    const cell = cellUnder(view, ...within(event));
    if (!cell) return;
    view.chooseCell(cell.query, cell.key);
    view.send("cell");
  };
  mark.onkeydown = (event) => moveCell(view, event);
  mark.onkeyup = mark.onblur = () => view.send("cell");
}

function moveHead(view, event) {
  const { heads, head } = view.state;
  const place = placeByKey(event, head - 1, view.layout.columns, heads);
  if (place === null) return;
  event.preventDefault();
  view.chooseHead(place + 1);
}

function moveCell(view, event) {
  const cell = cellByKey(event, view.fixed, view.length);
  if (!cell) return;
  event.preventDefault();
  view.chooseCell(...cell);
  view.find(".spoken").textContent = cellText(view.slope, view.cell.query, view.cell.key);
}
