// What the canvas components have in common: when they draw, and how Streamlit reaches them.

// A change made here outlives answers of the server that do not know it yet.
const PATIENCE_MS = 2000;

// One instance a mounted component. A kind of it has `update` and `drawAll`; `drawCell` too where
// one cell is read out.
class CanvasView {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.find = (selector) => root.querySelector(selector);
    this.draws = 0;
    this.observer = new ResizeObserver(() => this.ask("all"));
    this.observer.observe(root.parentElement ?? host);
    // What appears above moves this down, and leaves it less of the screen.
    this.pageObserver = new ResizeObserver(() => {
      if (this.roomUsed !== undefined && this.measureRoom() !== this.roomUsed) this.ask("all");
    });
    const page = document.querySelector("[data-testid=stMainBlockContainer]");
    if (page) this.pageObserver.observe(page);
    this.watchPixels();
  }

  // A window dragged to a projector may keep its size, but not how many pixels it has for it.
  watchPixels() {
    this.screen = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    this.screen.onchange = () => {
      this.screen.onchange = null;
      this.watchPixels();
      this.ask("all");
    };
  }

  stop() {
    this.observer.disconnect();
    this.pageObserver.disconnect();
    this.screen.onchange = null;
    this.isStopped = true;
  }

  // Pixels of the first screen from the top of this component down; of a whole one further below.
  measureRoom() {
    const main = document.querySelector("[data-testid=stMain]");
    const top = this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    return Math.round(window.innerHeight - (top < window.innerHeight * 0.6 ? top : 250));
  }

  get roomBelow() {
    this.roomUsed = this.measureRoom();
    return this.roomUsed;
  }

  // At most one drawing a frame, whatever asks for it: "all", or the "cell" that is read out.
  ask(part) {
    if (this.asked !== "all") this.asked = part;
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      const asked = this.asked;
      this.asked = null;
      if (this.isStopped) return;
      if (asked === "all") this.draw();
      else this.drawCell();
    });
  }

  draw() {
    const start = performance.now();
    this.ratio = window.devicePixelRatio || 1;
    this.look = lookOf(this.root, this.host, this.looks);
    this.root.style.setProperty("--muted", this.look.muted);
    this.drawAll();
    this.draws += 1;
    this.root.dataset.draws = this.draws;
    this.root.dataset.drawMs = (performance.now() - start).toFixed(2);
  }
}

// Returns what Streamlit calls at mounting, with each rerun's data, and when the theme changes.
function mount(selector, View) {
  const views = new WeakMap();
  return (component) => {
    const root = component.parentElement.querySelector(selector);
    if (!views.has(root)) {
      views.set(root, new View(root, component.parentElement.host ?? component.parentElement));
    }
    const view = views.get(root);
    view.update(component);
    // Streamlit ends a call also where newer data overtook it while the script was on its way.
    return () => {
      if (!root.isConnected) view.stop();
    };
  };
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
