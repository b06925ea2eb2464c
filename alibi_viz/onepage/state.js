// What the page knows, what its controls say, and the address that keeps it.

const PAGE = JSON.parse(document.getElementById("data").textContent);
const KNOBS = new Map(PAGE.knobs.map((knob) => [knob.key, knob]));
const byId = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function defaults() {
  const values = Object.fromEntries(PAGE.knobs.map((knob) => [knob.key, knob.default]));
  return { ...values, cell: null, lesson: "", step: "", done: "", verdict: "all", topic: "all", search: "" };
}

// The allowed value nearest to what an address says.
function nearestValue(knob, text) {
  if (knob.kind === "several") {
    const asked = text.split(",");
    return knob.options.filter((key, at) => asked.includes(key) || asked.includes(knob.names[at]));
  }
  if (typeof knob.options[0] === "string") {
    const at = Math.max(knob.options.indexOf(text), knob.names.indexOf(text));
    return at < 0 ? knob.default : knob.options[at];
  }
  const asked = text.trim() === "" ? NaN : Number(text);
  if (Number.isNaN(asked)) return knob.default;
  const away = (option) => Math.abs(option - Math.min(Math.max(asked, knob.options[0]), knob.options.at(-1)));
  return knob.options.reduce((best, option) => (away(option) < away(best) ? option : best));
}

function spelled(value) {
  return Array.isArray(value) ? value.join(value.length === 2 && Number.isInteger(value[0]) ? "." : ",") : String(value);
}

// Returns the values that an address asks for, over those given, and notes about what is not allowed.
function readAddress(query, start) {
  const [values, notes] = [{ ...start }, []];
  const asked = new URLSearchParams(query);
  for (const [key, text] of asked) {
    if (key === "cell") {
      const cell = text.split(".").map(Number);
      const isCell = cell.length === 2 && cell.every((part) => Number.isInteger(part) && part >= 0) && cell[1] <= cell[0];
      if (isCell) values.cell = cell;
      else notes.push(`The link asks for cell=${text}, which is not allowed: query.key, the key not past the query.`);
    } else if (KNOBS.has(key)) {
      values[key] = nearestValue(KNOBS.get(key), text);
      const isMeant = spelled(values[key]) === text || Number(text) === values[key];
      if (!isMeant && KNOBS.get(key).kind !== "several" && !KNOBS.get(key).names.includes(text)) {
        notes.push(`The link asks for ${key}=${text.slice(0, 40)}, which is not allowed. Shown instead: ${spelled(values[key])}.`);
      }
    } else if (key in values) values[key] = text;
  }
  if (values.head > values.heads) {
    if (asked.has("head")) notes.push(`The link asks for head=${values.head} of ${values.heads}. Shown instead: ${values.heads}.`);
    values.head = values.heads;
  }
  return [values, notes];
}

function addressOf(part, values, start, keys) {
  const asked = new URLSearchParams();
  for (const key of keys) {
    if (spelled(values[key] ?? "") !== spelled(start[key] ?? "")) asked.set(key, spelled(values[key]));
  }
  return `#${part}${asked.size ? `?${asked}` : ""}`;
}

// A row of controls for some keys; `change(key, value)` is called with each new value.
class Bar {
  // `limits` has the options of those controls that do not have all of theirs.
  constructor(place, keys, change, limits = {}) {
    const knobs = keys.map((key) => limited(KNOBS.get(key), limits[key]));
    this.rows = knobs.map((knob) => KNOB_KINDS[knob.kind](knob, (value) => change(knob.key, value)));
    this.keys = keys;
    place.replaceChildren(...this.rows.map((row) => row.element));
  }

  show(values) {
    this.keys.forEach((key, at) => this.rows[at].show(values[key], values));
  }
}

function limited(knob, options = knob.options) {
  return { ...knob, options, names: options.map((option) => knob.names[knob.options.indexOf(option)]) };
}

let madeNames = 0;

const KNOB_KINDS = {
  slider(knob, change) {
    const input = make("input", { type: "range", min: 0, max: knob.options.length - 1, id: `knob${(madeNames += 1)}` });
    const output = make("output", { htmlFor: input.id });
    const show = (value) => {
      input.value = knob.options.indexOf(value);
      output.value = value.toLocaleString("en");
      input.setAttribute("aria-valuetext", output.value);
    };
    input.oninput = () => {
      show(knob.options[Number(input.value)]);
      change(knob.options[Number(input.value)]);
    };
    const label = make("label", { htmlFor: input.id }, knob.label);
    const element = make("div", { className: "slide" }, label, input);
    label.append(output);
    return { element, show };
  },
  number(knob, change) {
    const input = make("input", { type: "number", min: 1, step: 1 });
    input.onchange = () => {
      const value = Math.min(Math.max(Math.round(Number(input.value)) || 1, 1), Number(input.max));
      input.value = value;
      change(value);
    };
    const show = (value, values) => {
      input.max = values.heads;
      input.value = value;
    };
    return { element: make("label", { className: "field" }, make("span", {}, knob.label), input), show };
  },
  choice: (knob, change) => boxes(knob, "radio", (input) => change(knob.options[Number(input.value)])),
  several: (knob, change) => boxes(knob, "checkbox", (_, inputs) => (
    change(knob.options.filter((option, at) => inputs[at].checked)))),
};

function boxes(knob, type, change) {
  const name = `knob${(madeNames += 1)}`;
  const inputs = knob.options.map((_, value) => make("input", { type, name, value }));
  inputs.forEach((input) => { input.onchange = () => change(input, inputs); });
  const labels = inputs.map((input, at) => make("label", {}, input, String(knob.names[at] ?? knob.options[at])));
  const element = make("fieldset", {}, make("legend", {}, knob.label), make("div", { className: "names" }, ...labels));
  const show = (value, values) => {
    inputs.forEach((input, at) => {
      input.checked = Array.isArray(value) ? value.includes(knob.options[at]) : value === knob.options[at];
    });
    // The two rules agree where the number of heads is a power of two.
    if (knob.key === "rule") element.hidden = !rulesDiffer(values.heads);
  };
  return { element, show };
}

// Numbers below a figure, folded away.
function foldedTable(title, columns, rows) {
  const cells = (tag, texts) => make("tr", {}, ...texts.map((text) => make(tag, {}, String(text))));
  const table = make("table", {}, make("thead", {}, cells("th", columns)), make("tbody", {}, ...rows.map((row) => cells("td", row))));
  const scroll = make("div", { className: "scroll", tabIndex: 0 }, table);
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  return make("details", {}, make("summary", {}, title), scroll);
}

// Puts a table in its place; one that is open stays open.
function putTable(place, ...table) {
  const isOpen = place.firstElementChild?.open;
  place.replaceChildren(foldedTable(...table));
  place.firstElementChild.open = Boolean(isOpen);
}
