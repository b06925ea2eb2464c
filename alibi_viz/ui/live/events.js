// Pointer and keyboard on the canvases.

function within(event) {
  const frame = event.currentTarget.getBoundingClientRect();
  return [event.clientX - frame.left, event.clientY - frame.top];
}

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
  const { columns } = view.layout;
  const { heads, head } = view.state;
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const ends = { Home: 1, End: heads };
  const target = ends[event.key] ?? (event.key in steps ? head + steps[event.key] : null);
  if (target === null) return;
  event.preventDefault();
  if (target >= 1 && target <= heads) view.chooseHead(target);
}

// Left and right move the key, up and down the query; shift moves a tenth of the sequence.
function moveCell(view, event) {
  const { query, key } = view.fixed;
  const step = event.shiftKey ? Math.max(2, Math.round(view.length / 10)) : 1;
  const targets = {
    ArrowLeft: [query, key - step],
    ArrowRight: [query, key + step],
    ArrowUp: [query - step, key],
    ArrowDown: [query + step, key],
    Home: [query, 0],
    End: [query, query],
  };
  if (!(event.key in targets)) return;
  event.preventDefault();
  view.chooseCell(...targets[event.key]);
  view.find(".spoken").textContent = cellText(view.slope, view.cell.query, view.cell.key);
}
