// What the pictures show, in words and numbers.

function tableRows(view) {
  const { cell, shown, tokens } = view;
  const { query, key } = cell;
  const once = (text, isToken = false) => shown.map((_, index) => ({ text: index ? "" : text, isToken }));
  const rows = [
    [`query ${query}`, once(visibleText(tokens[query]), true)],
    [`key ${key}`, once(visibleText(tokens[key]), true)],
    ["distance", once(key > query ? "in the future" : query === key ? "0, itself" : `${query - key}`)],
  ];
  for (const quantity of QUANTITIES.filter((name) => shown.some(({ head }) => head.knows(name)))) {
    rows.push([quantity === "weight" ? quantity : `${quantity}, nats`, shown.map(({ head, isDifference }) => ({
      text: isDifference
        ? differenceText(head, quantity, query, key) : quantityText(head, quantity, query, key),
    })), quantity]);
  }
  return rows;
}

function fillTable(view) {
  const rows = tableRows(view);
  const cellOf = (name, text, className = "") => {
    const element = Object.assign(document.createElement(name), { textContent: text, className });
    if (className === "token") element.title = text;
    return element;
  };
  const head = document.createElement("tr");
  if (view.shown.length > 1) head.append(cellOf("td", ""), ...view.shown.map(({ name }) => cellOf("th", name)));
  view.find("thead").replaceChildren(...(view.shown.length > 1 ? [head] : []));
  view.find("tbody").replaceChildren(...rows.map(([name, values, quantity]) => {
    const row = document.createElement("tr");
    row.className = quantity && view.kind.endsWith(quantity) ? "shown" : "";
    if (quantity) row.dataset.quantity = quantity;
    row.append(cellOf("th", name), ...values.map(({ text, isToken }) => cellOf("td", text, isToken ? "token" : "")));
    return row;
  }));
}

function noteText(view) {
  const { part, layout, ratio, shown } = view;
  const cells = part.span / (layout.side * ratio);
  const parts = [cells > 1
    ? `One pixel stands for ${plain(cells)} × ${plain(cells)} cells; it shows the largest.`
    : "Every cell is drawn."];
  if (shown.some(({ head }) => head.seesNothing(view.cell.query))) parts.push("This query sees no key.");
  parts.push("Click chooses, arrow keys move, + and − zoom, dragging pans.");
  return parts.join(" ");
}

function cellWords(view) {
  const { query, key } = view.cell;
  const head = view.head;
  if (!head.isVisible(query, key)) return `query ${query}, key ${key}: masked`;
  return [`query ${query} ${visibleText(view.tokens[query])}`, `key ${key} ${visibleText(view.tokens[key])}`,
    `distance ${query - key}`,
    ...QUANTITIES.filter((name) => head.knows(name)).map((quantity) => `${quantity} ${quantityText(head, quantity, query, key)}`)].join(", ");
}

function describe(view) {
  setText(view.find(".name"), view.header.title);
  fillTable(view);
  setText(view.find(".note"), noteText(view));
  describeStrip(view);
}
