// Scrolls to the beginning of a step when another one is shown: on a phone "Next" lies far below it.

let shown = "";

export default function ({ data, parentElement }) {
  const isAnother = shown !== "" && shown !== data.step;
  shown = data.step;
  const host = parentElement.host ?? parentElement;
  const top = host.getBoundingClientRect().top;
  if (isAnother && (top < 0 || top > window.innerHeight / 2)) {
    host.style.scrollMarginTop = "5rem";
    host.scrollIntoView({ block: "start" });
  }
}
