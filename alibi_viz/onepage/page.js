// One part of the page at a time; the address says which, and in what state.

const live = make("div", { className: "canvas" });
live.attachShadow({ mode: "open" }).innerHTML = PAGE.live;

// What the live view chooses by itself comes back here; it has drawn it already.
function showLive(place, values, choose) {
  if (live.parentElement !== place) place.replaceChildren(live);
  const cell = values.cell ?? null;
  liveView({ parentElement: live.shadowRoot, data: { ...values, cell, sliders: {}, looks: PAGE.looks }, setStateValue: choose });
}

class Explore {
  constructor(section, change) {
    this.keys = ["heads", "exponent", "length", "rule", "colour", "scale", "head", "cell"];
    this.isOfHeads = true;
    this.section = section;
    this.change = change;
    this.bar = new Bar(section.querySelector(".bar"), ["heads", "exponent", "length", "colour", "scale", "rule"], change);
  }

  show(values) {
    this.bar.show(values);
    showLive(this.section.querySelector(".place"), values, this.change);
    setLook(this.section, exploreSentence(values));
    putTable(this.section.querySelector(".table"), ...headsTable({ ...values, query: 100 }));
  }
}

class Decay {
  constructor(section, change) {
    this.keys = ["heads", "exponent", "length", "rule", "query", "trained", "head", "distance", "weight"];
    this.isOfHeads = true;
    this.section = section;
    this.bar = new Bar(section.querySelector(".bar"), this.keys, change);
    this.curves = new Chart(section.querySelector(".curves"));
    this.windows = new Chart(section.querySelector(".windows"));
  }

  show(values, look) {
    this.bar.show(values);
    this.curves.show(decaySpec(values, look));
    this.windows.show(windowsSpec(values, look));
    setLook(this.section, decaySentence(values));
    putTable(this.section.querySelector(".table"), ...headsTable(values));
  }
}

function setLook(section, sentence) {
  const place = section.querySelector(".look");
  if (place.dataset.says !== sentence) place.replaceChildren(make("strong", {}, "What to look for: "), sentence);
  place.dataset.says = sentence;
}

// Which theme shows, and whether the visitor chose it.
function isDarkNow() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

class Page {
  // `kinds` are the classes of the parts, by their names.
  constructor(kinds) {
    this.parts = new Map();
    for (const [name, Part] of Object.entries(kinds)) {
      const link = make("a", { href: `#${name}`, textContent: PAGE.parts[name] });
      document.querySelector("nav").append(link);
      const section = byId(name);
      this.parts.set(name, { section, link, view: new Part(section, (key, value) => this.set(key, value), this) });
    }
    byId("copy").onclick = () => this.copy();
    byId("theme").onclick = () => {
      document.documentElement.dataset.theme = isDarkNow() ? "light" : "dark";
      this.draw();
    };
    matchMedia("(prefers-color-scheme: dark)").onchange = () => this.draw();
    window.onhashchange = () => this.read();
    this.read();
  }

  // Takes the state from the address.
  read() {
    const [name, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
    if (name === "main") return;
    const isMoved = this.name !== undefined && this.name !== name;
    this.name = this.parts.has(name) ? name : "explore";
    const { view } = this.parts.get(this.name);
    this.start = { ...defaults(), ...(view.start?.(new URLSearchParams(query)) ?? {}) };
    const [values, notes] = readAddress(query, this.start);
    this.values = values;
    byId("note").hidden = !notes.length;
    byId("note").textContent = notes.join(" ");
    for (const [other, { section, link }] of this.parts) {
      section.hidden = other !== this.name;
      if (other === this.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (isMoved) window.scrollTo(0, 0);
    this.draw();
    this.keep();
  }

  set(key, value) {
    this.values[key] = value;
    if (key === "heads" && this.values.head > value) this.values.head = value;
    this.keep();
    this.ask();
  }

  // At most one drawing a frame.
  ask() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    const theme = isDarkNow() ? "dark" : "light";
    setText(byId("theme"), theme === "dark" ? "light theme" : "dark theme");
    this.parts.get(this.name).view.show(this.values, PAGE.looks[theme], theme);
    const name = PAGE.parts[this.name];
    document.title = `${name} · ALiBi on one page`;
    document.body.dataset.shown = this.name;
  }

  // Writes the state into the address, and into the links to the other parts.
  keep() {
    const { view } = this.parts.get(this.name);
    try {
      history.replaceState(null, "", addressOf(this.name, this.values, this.start, view.keys));
    } catch { /* A frame may forbid it: the page works, the link stays. */ }
    if (!view.isOfHeads) return;
    const shared = ["heads", "exponent", "length", "rule", "head"];
    for (const [name, part] of this.parts) {
      if (part.view.isOfHeads) part.link.href = addressOf(name, this.values, defaults(), shared);
    }
  }

  async copy() {
    const button = byId("copy");
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      // From a disk and in frames there may be no clipboard.
      const field = make("textarea", { value: location.href });
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy link"; }, 2000);
  }
}
