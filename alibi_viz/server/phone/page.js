"use strict";
const $ = id => document.getElementById(id);
const base = location.pathname.replace(/\/+$/, "");
const typed = base.match(/\/join\/([A-Za-z]{4})$/);
let view = null, draft = null, events = null, sent = false;

function say(words, bad) {
  $("status").textContent = words;
  $("status").classList.toggle("bad", Boolean(bad));
}

async function post(what, content) {
  // A server that is being started again answers 502 for a moment, or not at all.
  for (let tries = 0; ; tries++) {
    try {
      const answer = await fetch(`${base}/${what}`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content),
      });
      if (answer.status < 500) {
        const { error } = await answer.json().catch(() => ({ error: "That did not work." }));
        return { ok: answer.ok, status: answer.status, error };
      }
    } catch { /* no network: tried again */ }
    if (tries === 1) say("No connection. Trying again ...", true);
    await new Promise(done => setTimeout(done, 500 + Math.random() * 1500));
  }
}

async function join() {
  const joined = await post("join", {});
  if (joined.ok) return listen();
  say(joined.error, true);
  $("enter").hidden = false;
  if (joined.status === 429) setTimeout(join, 3000 + Math.random() * 5000);
}

function listen() {
  if (events) events.close();
  events = new EventSource(`${base}/events`);
  events.onmessage = event => show(JSON.parse(event.data));
  events.onerror = () => {
    // The browser tries again by itself, unless it was answered with an error.
    if (view && view.phase !== "ended") say("No connection. Trying again ...", true);
    if (events.readyState === EventSource.CLOSED) setTimeout(join, 1000 + Math.random() * 2000);
  };
}

function show(next) {
  const isNew = !view || !next.question || !view.question ||
    next.question.key !== view.question.key || next.round !== view.round;
  view = next;
  if (isNew) { draft = null; sent = false; }
  if (next.mine !== null && next.mine !== undefined && !sent) { draft = next.mine; sent = true; }
  $("enter").hidden = true;
  $("question").hidden = !next.question;
  if (next.question && isNew) ask(next.question);
  if (next.question) fill();
  const open = next.phase === "open";
  $("answers").disabled = !open;
  $("send").hidden = !open;
  reveal(next);
  if (next.phase === "ended") { events.close(); $("question").hidden = true; }
  tell();
}

function tell() {
  const again = view.round > 1 ? ` Round ${view.round}.` : "";
  say({
    waiting: "You are in. The first question will appear here.",
    open: sent ? "Your answer is in. You may change it until the round closes." : `Your turn.${again}`,
    closed: `The round is closed. ${sent ? "Talk it over with your neighbour." : ""}`,
    revealed: "",
    ended: "The room has ended. Thank you.",
  }[view.phase]);
  $("send").textContent = sent ? "Change my answer" : "Send";
}

function reveal(next) {
  const box = $("reveal");
  box.hidden = next.phase !== "revealed";
  if (box.hidden) return;
  box.className = next.right === undefined ? "" : next.right ? "right" : "wrong";
  // Made by the server from its own texts; nothing in it was typed by anybody in the room.
  $("right").innerHTML = next.answer;
  $("feedback").innerHTML = next.feedback || "";
  if (next.measured) sketch.measure(next.measured);
}

const KINDS = {
  choice: question => choices(question.options, true),
  line: question => choices(question.lines, false),
  number: question => {
    const label = document.createElement("label");
    label.textContent = question.unit ? `Your answer, in ${question.unit}` : "Your answer";
    const input = document.createElement("input");
    Object.assign(input, { type: "text", id: "number", maxLength: 60, autocomplete: "off" });
    input.oninput = () => { draft = input.value; };
    label.append(input);
    return [label];
  },
  sketch: question => sketch(question),
};

function ask(question) {
  $("prompt").innerHTML = question.prompt;
  $("answers").replaceChildren($("answers").firstElementChild, ...KINDS[question.kind](question));
}

function choices(texts, isHtml) {
  return texts.map((text, place) => {
    const label = document.createElement("label"), input = document.createElement("input");
    label.className = "choice";
    Object.assign(input, { type: "radio", name: "choice", value: place });
    input.onchange = () => { draft = place; };
    const words = document.createElement(isHtml ? "span" : "code");
    if (isHtml) words.innerHTML = text; else words.textContent = text;
    label.append(input, words);
    return label;
  });
}

// A line over multiples of the training length, drawn by finger or set by sliders.
const W = 340, H = 240, LEFT = 34, TOP = 10, RIGHT = 8, BOTTOM = 30;

function sketch({ multiples, lowest, highest }) {
  const last = Math.log2(multiples[multiples.length - 1]);
  const x = multiple => LEFT + Math.log2(multiple) / last * (W - LEFT - RIGHT);
  const y = height => TOP + (highest - height) / (highest - lowest) * (H - TOP - BOTTOM);
  const clamp = height => Math.round(Math.min(highest, Math.max(lowest, height)) * 20) / 20;
  const times = height => `×${+(2 ** height).toPrecision(2)}`;
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", `0 0 ${W} ${H}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "Draw here, or use the sliders below");
  let grid = "";
  for (let h = Math.ceil(lowest); h <= highest; h++)
    grid += `<path class="grid" d="M${LEFT} ${y(h)}H${W - RIGHT}"/><text x="2" y="${y(h) + 4}">${times(h)}</text>`;
  for (let k = 0; k <= last; k++)
    grid += `<path class="grid" d="M${x(2 ** k)} ${TOP}V${H - BOTTOM}"/>` +
      `<text x="${x(2 ** k)}" y="${H - 15}" text-anchor="middle">${2 ** k}</text>`;
  picture.innerHTML = `${grid}<text x="${W / 2}" y="${H - 2}" text-anchor="middle">window, in training lengths</text>` +
    `<circle cx="${x(1)}" cy="${y(0)}" r="5"/><path class="measured"/><path class="mine"/>`;
  const heights = Array(multiples.length).fill(0), drawn = heights.map(() => false), sliders = [];
  const trace = (name, line) => {
    const points = multiples.map((m, i) => line[i] === null ? "" : `L${x(m)} ${y(line[i])}`);
    picture.querySelector(name).setAttribute("d", `M${x(1)} ${y(0)}${points.join("")}`);
  };
  const draw = () => {
    trace(".mine", heights);
    sliders.forEach(([input, words], i) => {
      input.value = heights[i];
      input.setAttribute("aria-valuetext", `${times(heights[i])} the perplexity`);
      words.textContent = `${+multiples[i].toPrecision(2)}: ${times(heights[i])}`;
    });
  };
  let before = null;
  const take = event => {
    const box = picture.getBoundingClientRect();
    const px = (event.clientX - box.left) / box.width * W, py = (event.clientY - box.top) / box.height * H;
    const height = highest - (py - TOP) / (H - TOP - BOTTOM) * (highest - lowest);
    const from = before || { px, height };
    multiples.forEach((m, i) => {
      // What lies before the finger goes on as it is, until the finger is there.
      if (x(m) > px && !drawn[i]) heights[i] = clamp(height);
      // All places that the finger passed since the last report, however fast it was.
      const a = Math.min(from.px, px) - 8, b = Math.max(from.px, px) + 8;
      if (x(m) < a || x(m) > b) return;
      const t = px === from.px ? 1 : Math.min(1, Math.max(0, (x(m) - from.px) / (px - from.px)));
      heights[i] = clamp(from.height + t * (height - from.height));
      drawn[i] = true;
    });
    before = { px, height };
    draft = heights.slice();
    draw();
  };
  picture.onpointerdown = event => {
    if ($("answers").disabled) return;
    picture.setPointerCapture(event.pointerId);
    before = null;
    take(event);
  };
  picture.onpointermove = event => { if (before && event.buttons) take(event); };
  picture.onpointerup = picture.onpointercancel = () => { before = null; };
  const more = document.createElement("details");
  more.className = "heights";
  more.innerHTML = "<summary>With sliders</summary>";
  multiples.forEach((m, i) => {
    const label = document.createElement("label"), words = document.createElement("span");
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: lowest, max: highest, step: 0.05 });
    input.oninput = () => { heights[i] = Number(input.value); draft = heights.slice(); draw(); };
    sliders.push([input, words]);
    label.append(words, input);
    more.append(label);
  });
  sketch.measure = line => trace(".measured", line);
  sketch.fill = line => { line.forEach((height, i) => { heights[i] = height; }); draw(); };
  draw();
  return [picture, more];
}

function fill() {
  if (draft === null) return;
  const { kind } = view.question;
  if (kind === "number") { if (document.activeElement !== $("number")) $("number").value = draft; }
  else if (kind === "sketch") sketch.fill(draft);
  else document.querySelectorAll("[name=choice]")[draft].checked = true;
}

$("question").onsubmit = async event => {
  event.preventDefault();
  if (draft === null || draft === "") return say("Answer first.", true);
  const answer = view.question.kind === "number" ? String(draft) : draft;
  $("send").disabled = true;
  const { ok, status, error } = await post("answer", { round: view.round, answer });
  $("send").disabled = false;
  if (status === 401) return join();
  if (ok) { sent = true; tell(); } else say(error, true);
};

$("enter").onsubmit = event => {
  event.preventDefault();
  const room = $("code").value.toUpperCase();
  location.href = `${typed ? base.slice(0, -5) : base}/${room}`;
};

if (typed) { $("place").textContent = typed[1].toUpperCase(); say("Joining ..."); join(); }
else { $("enter").hidden = false; $("code").focus(); }
