// Where each small picture stands: a table of layers and heads, or a list in another order.

// Room for labels of ordinary type; it grows with the type.
const LABEL_HEIGHT = 14;
const ROW_LABEL = 26;
const COLUMN_LABEL = 30;

const SMALLEST = 22;

// A table where the order is by layer and head and the heads fit beside each other.
function arrange(width, height, nLayer, nHead, isTable, type) {
  const [left, top] = [ROW_LABEL, COLUMN_LABEL].map((room) => Math.round(room * type));
  const side = Math.floor((width - left) / nHead) - 4;
  if (isTable && side >= SMALLEST) {
    const room = Math.floor((height - top) / nLayer) - 4;
    const fitted = Math.max(SMALLEST, Math.min(side, Math.max(room, SMALLEST)));
    const pitch = Math.min(fitted + 8, (width - left) / nHead);
    return {
      isTable: true, columns: nHead, side: fitted, pitchX: pitch, pitchY: fitted + Math.min(8, Math.max(4, room - fitted + 4)),
      left, top, label: 0,
    };
  }
  return arrangeList(width, height, nLayer * nHead, Math.round(LABEL_HEIGHT * type));
}

// The largest pictures that fit without scrolling, but none too small to see.
function arrangeList(width, height, count, label) {
  let best = null;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const across = Math.floor(width / columns) - 6;
    const down = Math.floor(height / rows) - label - 6;
    const side = Math.min(across, down);
    if (!best || side > best.side) best = { columns, side };
  }
  const side = Math.max(best.side, SMALLEST + 8);
  const columns = best.side >= side ? best.columns : Math.max(1, Math.floor(width / (side + 6)));
  return {
    isTable: false, columns, side, pitchX: side + 6, pitchY: side + label + 6,
    left: 0, top: 0, label,
  };
}

function cornerAt(layout, place) {
  return [
    layout.left + (place % layout.columns) * layout.pitchX,
    layout.top + Math.floor(place / layout.columns) * layout.pitchY,
  ];
}
