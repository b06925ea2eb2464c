// Plotly draws SVG in layers; they are joined into one file, with the page's state in it.

const NAMESPACE = "http://www.w3.org/2000/svg";

function joined(chart, state) {
  const layers = [...chart.querySelectorAll("svg.main-svg")];
  const { width, height } = layers[0].getBoundingClientRect();
  const svg = document.createElementNS(NAMESPACE, "svg");
  svg.setAttribute("xmlns", NAMESPACE);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  const metadata = document.createElementNS(NAMESPACE, "metadata");
  metadata.textContent = JSON.stringify({ "alibi-viz": state });
  const ground = document.createElementNS(NAMESPACE, "rect");
  ground.setAttribute("width", width);
  ground.setAttribute("height", height);
  ground.setAttribute("fill", getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor);
  svg.append(metadata, ground);
  // The layer of hover labels is of the moment, not of the figure.
  layers.filter((layer) => !layer.querySelector(".hoverlayer"))
    .concat(layers.filter((layer) => layer.querySelector(".hoverlayer")))
    .forEach((layer) => {
      const copy = layer.cloneNode(true);
      copy.querySelectorAll(".hoverlayer, .dragcover, .drag").forEach((part) => part.remove());
      svg.append(...copy.childNodes);
    });
  return new XMLSerializer().serializeToString(svg);
}

function save(name, state) {
  const chart = document.querySelector(`.st-key-${name} .js-plotly-plot`);
  if (!chart) return;
  const full = { ...state, address: window.location.href };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([joined(chart, full)], { type: "image/svg+xml" }));
  link.download = `alibi-viz-${name.replaceAll("_", "-")}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
}

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".buttons");
  place.replaceChildren(...Object.entries(data.charts).map(([name, label]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    button.onclick = () => save(name, data.state);
    return button;
  }));
}
