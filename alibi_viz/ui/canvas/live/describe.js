// What the pictures show, in words: titles, facts, and what is read aloud.

function cellText(slope, query, key) {
  if (key > query) return `query ${query}, key ${key}: masked, this key lies in the future`;
  const distance = query - key;
  return (
    `query ${query}, key ${key}, distance ${distance}, ` +
    `bias ${biasText(-slope * distance)} nats, weight ${weightText(logWeight(slope, query, distance))}`
  );
}

function describeHeads(view) {
  const { state, slopes, slope } = view;
  const count = slopes.length === 1 ? "the one head" : `all ${slopes.length} heads`;
  setText(view.find(".count"), count);
  const name = `head ${state.head} of ${slopes.length}, slope ${slopeText(slope)}`;
  setText(view.find(".name"), name);
  const grid = view.find(".grid");
  grid.setAttribute("aria-valuemax", slopes.length);
  grid.setAttribute("aria-valuenow", state.head);
  grid.setAttribute("aria-valuetext", name);
  view.find(".ladder").setAttribute("aria-label",
    `Slope of each of ${slopes.length} heads on a base-2 axis, from ${slopeText(slopes[0])} for ` +
    `head 1 to ${slopeText(slopes[slopes.length - 1])} for head ${slopes.length}.`);
}

function facts(view) {
  const { slope, cell, window: count, grid, state } = view;
  const own = Math.exp(logWeight(slope, cell.query, 0));
  const shown = [
    ["weight halves every", `${plain(Math.LN2 / slope)} tokens`],
    [`95 % of query ${cell.query} within`, tokens(count)],
    [`query ${cell.query} on itself`, plain(own)],
    ["its farthest key's bias", `${biasText(-slope * cell.query)} nats`],
  ];
  const sampling = grid.stride > 1
    ? `One pixel stands for ${plain(grid.stride)} × ${plain(grid.stride)} cells; it shows the one at its centre.`
    : "Every cell is drawn.";
  const clipped = state.colour === "bias" ? "" : " Values past the ends of the scale take the colour of the end.";
  return { shown, note: sampling + clipped };
}

function describeCell(view) {
  const { slope, cell, window: count } = view;
  setText(view.find(".readout"), cellText(slope, cell.query, cell.key));
  const { shown, note } = facts(view);
  const list = view.find(".facts");
  if (list.children.length !== 2 * shown.length + 1) {
    list.replaceChildren(...shown.flatMap(() => [document.createElement("dt"), document.createElement("dd")]),
      Object.assign(document.createElement("dd"), { className: "note" }));
  }
  shown.forEach(([term, value], index) => {
    setText(list.children[2 * index], term);
    setText(list.children[2 * index + 1], value);
  });
  setText(list.lastElementChild, note);
  view.find("canvas.row").setAttribute("aria-label",
    `Row of query ${cell.query}: the bias falls from 0 to ${biasText(-slope * cell.query)} nats, ` +
    `the softmax weight from ${weightText(logWeight(slope, cell.query, 0))} to ` +
    `${weightText(logWeight(slope, cell.query, cell.query))}; 95 % lies within ${tokens(count)}.`);
}
