// Draws a figure at print size and saves it. Plotly's script is fetched from the app at the first
// click; the one that Streamlit draws with cannot be reached from here.

const DOTS_PER_INCH = 300;
const CSS_PIXELS_PER_INCH = 96;
const NAMESPACE = "http://www.w3.org/2000/svg";
const waiting = new Map();

function plotly(address) {
  if (window.Plotly?.toImage) return Promise.resolve(window.Plotly);
  if (!waiting.has(address)) {
    waiting.set(address, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        waiting.delete(address);
        script.remove();
        reject(new Error("plotly's script did not come; reload the page"));
      };
      document.head.append(script);
    }));
  }
  return waiting.get(address);
}

async function image(data, format) {
  const library = await plotly(data.plotly);
  const { width, height } = data.size;
  const scale = format === "png" ? DOTS_PER_INCH / CSS_PIXELS_PER_INCH : 1;
  return library.toImage(JSON.parse(data.figure), { format, width, height, scale, imageDataOnly: true });
}

function metadata(data) {
  return { title: data.title, ...data.state, address: window.location.href };
}

async function png(data) {
  const bytes = Uint8Array.from(atob(await image(data, "png")), (sign) => sign.charCodeAt(0));
  return withChunks(bytes, sizeChunk(DOTS_PER_INCH), textChunk("alibi-viz", asciiJson(metadata(data))));
}

// Of a size on paper, with title, description and state for programs and screen readers.
async function svg(data) {
  const made = new DOMParser().parseFromString(await image(data, "svg"), "image/svg+xml");
  const root = made.documentElement;
  const inMillimetres = (pixels) => `${((pixels / CSS_PIXELS_PER_INCH) * 25.4).toFixed(2)}mm`;
  root.setAttribute("width", inMillimetres(data.size.width));
  root.setAttribute("height", inMillimetres(data.size.height));
  root.setAttribute("role", "img");
  const texts = { title: data.title, desc: data.alt, metadata: JSON.stringify({ "alibi-viz": metadata(data) }) };
  root.prepend(...Object.entries(texts).map(([name, text]) => {
    const element = made.createElementNS(NAMESPACE, name);
    element.textContent = text;
    return element;
  }));
  return new Blob([new XMLSerializer().serializeToString(made)], { type: "image/svg+xml" });
}

const MAKE = { png, svg };

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector(".said");
  parentElement.querySelectorAll("button").forEach((button) => {
    button.onclick = async () => {
      button.disabled = true;
      said.textContent = "drawing …";
      try {
        saveBlob(await MAKE[button.name](data), `${data.name}.${button.name}`);
        said.textContent = "";
      } catch (error) {
        said.textContent = error.message;
      }
      button.disabled = false;
    };
  });
}
