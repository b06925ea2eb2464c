// Streamlit's sliders report on release only. While one is held, its range input tells its place.

const SLIDER_KEYS = ["heads", "exponent", "length"];
const SLIDER_SELECTOR = SLIDER_KEYS.map((key) => `.st-key-${key}`).join(", ");

function readSliders(options) {
  const values = {};
  for (const key of SLIDER_KEYS) {
    const input = document.querySelector(`.st-key-${key} input[type=range]`);
    const value = input && options[key][Number(input.value)];
    if (value !== undefined && value !== null) values[key] = value;
  }
  return values;
}

// What was changed here and the server has not confirmed; newer than what the server says.
class Pending {
  constructor() {
    this.changes = new Map();
  }

  set(key, value) {
    this.changes.set(key, { value, until: performance.now() + PATIENCE_MS });
  }

  over(data, isHeld) {
    const state = { ...data };
    for (const [key, { value, until }] of this.changes) {
      const isKnown = JSON.stringify(data[key]) === JSON.stringify(value);
      if (!isHeld && (isKnown || performance.now() > until)) this.changes.delete(key);
      else state[key] = value;
    }
    return state;
  }
}

// Calls `onFrame` once a frame while a slider is held or moved by keys; returns how to stop that.
function watchSliders(onFrame) {
  let heldUntil = 0;
  let isRunning = false;
  const step = () => {
    isRunning = performance.now() < heldUntil;
    onFrame(isRunning);
    if (isRunning) requestAnimationFrame(step);
  };
  const hold = (event, until) => {
    if (!event.target.closest?.(SLIDER_SELECTOR)) return;
    heldUntil = until;
    if (!isRunning) {
      isRunning = true;
      requestAnimationFrame(step);
    }
  };
  const onDown = (event) => hold(event, Infinity);
  const onKey = (event) => hold(event, Math.max(heldUntil, performance.now() + 300));
  const onUp = () => {
    if (heldUntil === Infinity) heldUntil = performance.now() + 100;
  };
  const listeners = [
    ["pointerdown", onDown], ["keydown", onKey], ["keyup", onKey],
    ["pointerup", onUp], ["pointercancel", onUp],
  ];
  listeners.forEach(([name, handler]) => document.addEventListener(name, handler, true));
  return () => {
    heldUntil = 0;
    listeners.forEach(([name, handler]) => document.removeEventListener(name, handler, true));
  };
}
