// All heads side by side: one small causal triangle each, its number and its slope above it.

const LABEL = 15;

// The arrangement whose triangles are largest.
function gridLayout(nHead, width, height) {
  let best = null;
  for (let columns = 1; columns <= nHead; columns += 1) {
    const rows = Math.ceil(nHead / columns);
    const gap = nHead > 24 ? 5 : 12;
    const across = (width - gap * (columns - 1)) / columns;
    const down = (height - gap * (rows - 1)) / rows - LABEL;
    const side = Math.floor(Math.min(across, down));
    if (!best || side > best.side) best = { columns, rows, gap, side };
  }
  const pitchX = best.columns > 1 ? (width - best.side) / (best.columns - 1) : 0;
  best.pitchX = Math.min(pitchX, best.side + 56);
  const pitchY = best.rows > 1 ? (height - best.side - LABEL) / (best.rows - 1) : 0;
  best.pitchY = Math.min(pitchY, best.side + LABEL + 28);
  return best;
}

function cornerOf(layout, head) {
  const [column, row] = [head % layout.columns, Math.floor(head / layout.columns)];
  return [Math.round(column * layout.pitchX), Math.round(row * layout.pitchY)];
}

function drawGrid(canvas, view) {
  const { look, slopes, state, length, ratio } = view;
  const { width, height } = view.sizes.grid;
  const context = prepare(canvas, width, height, ratio);
  const layout = gridLayout(slopes.length, width, height);
  view.layout = layout;
  slopes.forEach((slope, head) => {
    const [x, y] = cornerOf(layout, head);
    const isChosen = head === state.head - 1;
    const side = layout.side;
    labelHead(context, view, head, x, y, isChosen);
    context.fillStyle = view.hatch;
    context.fillRect(x, y + LABEL, side, side);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    const range = colourRange(state.colour, state.scale, slopes, head, length);
    view.painter.paint(context, Math.round(x * ratio), Math.round((y + LABEL) * ratio),
      Math.round(side * ratio), { slope, length, mode: state.colour, range, ramp: view.ramp });
    context.restore();
    if (isChosen) {
      context.strokeStyle = look.accent;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + LABEL + 1, side - 2, side - 2);
    }
  });
}

function labelHead(context, view, head, x, y, isChosen) {
  const { look, slopes, layout } = view;
  const size = layout.side < 46 ? 9 : 11;
  const colour = isChosen ? look.text : look.muted;
  dot(context, x + 3, y + LABEL / 2 - 1, 3, view.colours[head]);
  write(context, look, String(head + 1), x + 9, y + LABEL - 4, { colour: look.text, bold: isChosen, size });
  if (layout.side < 34) return;
  const text = layout.side < 60 ? slopeShort(slopes[head]) : slopePower(slopes[head]);
  write(context, look, text, x + layout.side, y + LABEL - 4, { align: "right", colour, size });
}

function headUnder(view, x, y) {
  const { layout, slopes } = view;
  for (let head = 0; head < slopes.length; head += 1) {
    const [left, top] = cornerOf(layout, head);
    if (x >= left && x < left + layout.side && y >= top && y < top + layout.side + LABEL) return head + 1;
  }
  return null;
}
