// Keys of a presenter, heard in the whole document: a clicker sends Page Down wherever the caret is.

const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
// A widget that is moved by the arrows keeps them; Page Down is the presenter's alone.
const MOVED_BY_ARROWS = "input, textarea, select, [role=slider], [role=radio], [role=listbox], [contenteditable=true]";

function isTyping(event) {
  const at = event.composedPath()[0];
  return at instanceof Element && at.closest(MOVED_BY_ARROWS) !== null;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const find = (what) => parentElement.querySelector(`[data-what=${what}]`);
  const ask = (what, more = {}) => setTriggerValue("asked", { what, height: window.innerHeight, ...more });
  find("enter").hidden = data.isOn;
  for (const what of ["back", "on", "leave"]) find(what).hidden = !data.isOn;
  parentElement.querySelector(".place").textContent = data.isOn ? data.place : "";
  find("enter").onclick = () => ask("enter");
  find("leave").onclick = () => ask("leave");
  find("back").onclick = () => ask("step", { by: -1 });
  find("on").onclick = () => ask("step", { by: 1 });
  const hear = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const typing = isTyping(event);
    const isPage = event.key.startsWith("Page");
    if (!data.isOn) {
      if (event.key.toLowerCase() === "p" && !typing) ask("enter");
      return;
    }
    if (event.key === "Escape") ask("leave");
    else if (event.key in STEPS && (isPage || !typing)) {
      event.preventDefault();
      ask("step", { by: STEPS[event.key] });
    }
  };
  document.addEventListener("keydown", hear, true);
  return () => document.removeEventListener("keydown", hear, true);
}
