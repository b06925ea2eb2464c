// The end of a text under four ways of telling position: attention of the last word, perplexity of
// the last words, and what would be written next, for as much text as the slider says.

const STEP_MS = 1000;
// Per cent of a method's hue behind the word with most attention: it has to stay legible.
const STRONGEST = { light: 74, dark: 44 };
// Room for the text before the words, in their own type.
const EARLIER_REMS = 14;

class Ending {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.find = (selector) => root.querySelector(selector);
    this.slider = this.find("input");
    this.slider.oninput = () => this.stop().show(Number(this.slider.value));
    this.slider.onchange = () => this.setStateValue("place", Number(this.slider.value));
    this.find("button").onclick = () => (this.timer ? this.stop() : this.play());
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const isNew = this.made !== data.made;
    this.data = data;
    if (isNew) {
      this.made = data.made;
      this.slider.max = data.lengths.length - 1;
      this.build();
    }
    this.colour();
    if (!isNew) return;
    this.show(data.place);
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (data.moves && !isStill) this.play();
  }

  build() {
    const rows = this.find(".rows");
    rows.replaceChildren(row("head", { name: this.data.name, words: this.data.words, loss: this.data.loss, next: this.data.next }));
    for (const method of this.data.methods) {
      const made = row("", { name: method.label, words: "", loss: "", next: "" });
      made.dataset.method = method.key;
      rows.append(made);
    }
    this.find(".legend").textContent = this.data.legend;
  }

  colour() {
    const theme = isDark(this.host) ? "dark" : "light";
    const isOther = this.theme && this.theme !== theme;
    this.theme = theme;
    this.root.style.setProperty("--muted", this.data.muted[theme]);
    for (const method of this.data.methods) {
      const made = this.find(`[data-method=${method.key}]`);
      made.style.setProperty("--hue", method[theme]);
    }
    if (isOther) this.show(this.place);
  }

  play() {
    this.find("button").textContent = "❚❚";
    this.find("button").setAttribute("aria-label", "pause");
    if (this.place === this.data.lengths.length - 1) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.place + 1);
      if (this.place === this.data.lengths.length - 1) this.stop();
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.find("button").textContent = "▶";
    this.find("button").setAttribute("aria-label", "play");
    return this;
  }

  show(place) {
    const { lengths, trainLength, looks, methods } = this.data;
    this.place = Math.max(0, Math.min(place, lengths.length - 1));
    const length = lengths[this.place];
    this.slider.value = this.place;
    const said = `${length.toLocaleString("en")} tokens`;
    this.slider.setAttribute("aria-valuetext", said);
    this.find("output").textContent = said;
    const known = this.find(".known");
    const times = length / trainLength;
    known.classList.toggle("past", times > 1);
    known.textContent = times > 1
      ? `${times}× as much as any text in training`
      : `in training: up to ${trainLength} tokens`;
    for (const method of methods) {
      const look = looks.find((one) => one.method === method.key && one.length === length);
      this.fill(this.find(`[data-method=${method.key}]`), look);
    }
    this.find(".said").textContent = this.sentence(length);
    this.root.dataset.length = length;
  }

  // Each method's perplexity over its own where training ended.
  sentence(length) {
    const { trainLength, looks, methods, asTrained } = this.data;
    if (length <= trainLength) return asTrained;
    const at = (key, tokens) =>
      looks.find((one) => one.method === key && one.length === tokens).perplexity;
    const [[first, most], ...rest] = methods
      .map(({ key, label }) => [label, at(key, length) / at(key, trainLength)])
      .sort(([, one], [, other]) => other - one)
      .map(([label, ratio]) => [label, Number(ratio.toPrecision(2))]);
    const [last, least] = rest.pop();
    const between = rest.map(([label, ratio]) => `, ${ratio} times for ${label}`).join("");
    return (
      `Compared with ${trainLength} tokens, perplexity is ${most} times as high for ${first}` +
      `${between} and ${least} times for ${last}.`
    );
  }

  fill(made, look) {
    const words = made.querySelector(".words");
    const most = Math.max(...look.weights, 0.08);
    const shown = look.words.map((word, at) => {
      const span = document.createElement("span");
      span.textContent = visible(word);
      span.title = `${percent(look.weights[at])} of the attention`;
      const share = Math.round(STRONGEST[this.theme] * Math.min(1, look.weights[at] / most));
      span.style.background = `color-mix(in srgb, var(--hue) ${share}%, transparent)`;
      if (at === look.words.length - 1) span.className = "last";
      return span;
    });
    words.replaceChildren(...shown);
    // Words that have no room count as text before.
    let [earlier, first] = [look.earlier, 0];
    const room = words.clientWidth - EARLIER_REMS * parseFloat(getComputedStyle(words).fontSize);
    let taken = shown.reduce((sum, span) => sum + span.offsetWidth + 2, 0);
    while (taken > room && first < shown.length - 3) {
      taken -= shown[first].offsetWidth + 2;
      shown[first].remove();
      earlier += look.weights[first];
      first += 1;
    }
    words.prepend(earlierText(earlier, look.beyond));
    made.querySelector(".loss").innerHTML = "";
    const [small, strong] = [document.createElement("small"), document.createElement("b")];
    small.textContent = "perplexity ";
    strong.textContent = look.perplexity < 100 ? look.perplexity.toFixed(1) : look.perplexity.toFixed(0);
    made.querySelector(".loss").append(small, strong);
    const next = made.querySelector(".next");
    const before = document.createElement("small");
    before.textContent = "would write ";
    next.replaceChildren(before, `${visible(look.continuation)} …`);
  }
}

function row(kind, parts) {
  const made = document.createElement("div");
  made.className = `row ${kind}`;
  made.setAttribute("role", "row");
  for (const [name, text] of Object.entries(parts)) {
    const part = document.createElement("div");
    part.className = name;
    part.setAttribute("role", kind ? "columnheader" : name === "name" ? "rowheader" : "cell");
    part.textContent = text;
    made.append(part);
  }
  return made;
}

// All text before the words: how much of the attention it takes, hatched what lies farther away than
// any token in training.
function earlierText(earlier, beyond) {
  const box = document.createElement("span");
  box.className = "earlier";
  const [bar, near, far, said] = ["em", "i", "i", "b"].map((name) => document.createElement(name));
  near.style.width = `${100 * (earlier - beyond)}%`;
  far.className = "beyond";
  far.style.width = `${100 * beyond}%`;
  said.textContent = `… ${percent(earlier)} earlier text`;
  box.title = `attention on the text before these words; hatched: ${percent(beyond)}, farther away than in training`;
  bar.append(near, far);
  box.append(said, bar);
  return box;
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
}

function visible(text) {
  return text.replace(/\n\s*/g, "⏎ ").replace(/\s{2,}/g, " ");
}

export default mount(".ending", Ending);
