// Pointer and keyboard, as every canvas understands them.

// A pointer's place on the element that listens, in CSS pixels.
function within(event) {
  const frame = event.currentTarget.getBoundingClientRect();
  return [event.clientX - frame.left, event.clientY - frame.top];
}

// Alt and an arrow go back in the browser's history; ctrl and a plus enlarge the page.
function isShortcut(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

// The cell, [query, key], to which a key press leads, else null. Left and right move the key, up and
// down the query; shift moves a tenth of the tokens that are shown.
function cellByKey(event, { query, key }, tokensShown) {
  const step = event.shiftKey ? Math.max(2, Math.round(tokensShown / 10)) : 1;
  const targets = {
    ArrowLeft: [query, key - step],
    ArrowRight: [query, key + step],
    ArrowUp: [query - step, key],
    ArrowDown: [query + step, key],
    Home: [query, 0],
    End: [query, query],
  };
  return isShortcut(event) ? null : targets[event.key] ?? null;
}

// The place, from 0, in rows of small pictures to which a key press leads, else null.
function placeByKey(event, place, columns, count) {
  const targets = {
    ArrowLeft: place - 1,
    ArrowRight: place + 1,
    ArrowUp: place - columns,
    ArrowDown: place + columns,
    Home: 0,
    End: count - 1,
  };
  if (isShortcut(event) || !(event.key in targets)) return null;
  const target = targets[event.key];
  return target >= 0 && target < count ? target : place;
}
