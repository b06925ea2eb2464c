// Keys of a presenter, heard in the whole document: a clicker sends Page Down wherever the caret is.

const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
// A widget that is moved by the arrows keeps them; Page Down is the presenter's alone.
const MOVED_BY_ARROWS = "input, textarea, select, [role=slider], [role=radio], [role=listbox], [contenteditable=true]";

function isTyping(event) {
  const at = event.composedPath()[0];
  return at instanceof Element && at.closest(MOVED_BY_ARROWS) !== null;
}

// What the keys do now, by the element that they belong to: Streamlit calls with each rerun, and ends
// a call only when the element goes.
const presenters = new WeakMap();

function hear(presenter, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const typing = isTyping(event), key = event.key.toLowerCase();
  if (presenter.dialog.open) {
    if (key === "escape" || key === "q") {
      event.preventDefault();
      presenter.dialog.close();
    }
    return;
  }
  if (key === "q" && !typing) presenter.askForCode();
  if (!presenter.isOn) {
    if (key === "p" && !typing) presenter.ask("enter");
    return;
  }
  if (event.key === "Escape") presenter.ask("leave");
  else if (event.key in STEPS && (event.key.startsWith("Page") || !typing)) {
    event.preventDefault();
    presenter.ask("step", { by: STEPS[event.key] });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const group = parentElement.querySelector(".present");
  const find = (what) => group.querySelector(`[data-what=${what}]`);
  if (!presenters.has(group)) {
    const presenter = {};
    const listener = (event) => group.isConnected && hear(presenter, event);
    document.addEventListener("keydown", listener, true);
    presenters.set(group, Object.assign(presenter, { listener }));
  }
  const presenter = presenters.get(group);
  presenter.isOn = data.isOn;
  presenter.ask = (what, more = {}) =>
    setTriggerValue("asked", { what, height: window.innerHeight, nonce: Math.random(), ...more });
  presenter.dialog = parentElement.querySelector(".code");
  presenter.askForCode = () => presenter.ask("code", { address: window.location.href });
  if (data.code && !presenter.dialog.open) {
    presenter.dialog.querySelector(".picture").innerHTML = data.code.svg;
    presenter.dialog.querySelector("p").textContent = data.code.address;
    presenter.dialog.onclick = () => presenter.dialog.close();
    presenter.dialog.showModal();
  }
  find("enter").hidden = data.isOn;
  for (const what of ["back", "on", "code", "leave"]) find(what).hidden = !data.isOn;
  group.querySelector(".place").textContent = data.isOn ? data.place : "";
  find("enter").onclick = () => presenter.ask("enter");
  find("leave").onclick = () => presenter.ask("leave");
  find("code").onclick = presenter.askForCode;
  find("back").onclick = () => presenter.ask("step", { by: -1 });
  find("on").onclick = () => presenter.ask("step", { by: 1 });
  return () => {
    if (!group.isConnected) document.removeEventListener("keydown", presenter.listener, true);
  };
}
