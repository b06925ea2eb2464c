// The lessons: a step at a time, its question, and the view that it is about.

const WIDE = new Set(["biases"]);
const STEP_NAMES = { look: "Look", do: "Do", why: "Why" };

class Lessons {
  constructor(section, change, page) {
    this.section = section;
    this.change = change;
    this.page = page;
    this.keys = ["lesson", "step", "done"];
    this.done = new Set();
    this.attempts = new Map();
    this.contents = section.querySelector(".contents");
    this.lessonPlace = section.querySelector(".lesson");
    this.figure = make("figure");
    this.chart = new Chart(this.figure);
  }

  // The values that an address starts from: those that the lesson has prepared.
  start(asked) {
    this.lesson = PAGE.lessons.find(({ slug }) => slug === asked.get("lesson")) ?? null;
    const codes = (asked.get("done") ?? "").match(/^~([a-z2-7]{3})*$/)?.[0].slice(1).match(/.{3}/g) ?? [];
    codes.forEach((code) => this.done.add(code));
    this.keys = ["lesson", "step", "done", ...(this.lesson?.controls ?? []), ...(this.lesson?.view === "biases" ? ["head", "cell"] : [])];
    const last = (this.lesson?.state.length ?? 512) - 1;
    return { step: "look", cell: [Math.round(0.8 * last), Math.round(0.5 * last)], ...(this.lesson?.state ?? {}) };
  }

  show(values, look, theme) {
    const { lesson } = this;
    values.done = this.progress();
    this.contents.hidden = Boolean(lesson);
    this.lessonPlace.hidden = !lesson;
    this.section.querySelector("h1").hidden = this.section.querySelector(".asks").hidden = Boolean(lesson);
    if (!lesson) {
      this.showContents();
      return;
    }
    values.lesson = lesson.slug;
    if (!lesson.steps.includes(values.step)) values.step = "look";
    const place = `${lesson.slug} ${values.step}`;
    if (this.shown !== place) {
      const isFirst = this.shown === undefined;
      this.shown = place;
      this.build(values);
      // Whoever came by a link of the lesson goes on reading at its new step.
      if (!isFirst) this.lessonPlace.querySelector("h2").focus();
    }
    this.bar?.show(values);
    this.showView(values, look, theme);
    if (values.step === "do") this.judge(values);
    this.showSteps(values);
  }

  progress() {
    const codes = PAGE.lessons.flatMap(({ codes: own }) => Object.values(own)).filter((code) => this.done.has(code));
    return codes.length ? `~${codes.join("")}` : "";
  }

  link(slug, step) {
    const asked = new URLSearchParams(slug ? { lesson: slug, step } : {});
    if (this.progress()) asked.set("done", this.progress());
    return `#lessons${asked.size ? `?${asked}` : ""}`;
  }

  showContents() {
    this.shown = null;
    const items = PAGE.lessons.flatMap(({ codes }) => Object.values(codes));
    const ticked = items.filter((code) => this.done.has(code)).length;
    const minutes = PAGE.lessons.reduce((sum, lesson) => sum + lesson.minutes, 0);
    this.contents.querySelector(".tally").textContent = `${PAGE.lessons.length} lessons, about ${minutes} minutes in all; ${ticked} of ${items.length} `
      + "questions and tasks done. Your progress is in this page's link: keep the link, and you keep your place.";
    this.contents.querySelector("ol").replaceChildren(...PAGE.lessons.map((lesson) => {
      const own = Object.values(lesson.codes);
      const count = own.filter((code) => this.done.has(code)).length;
      const goal = make("p", { innerHTML: lesson.goal });
      const state = `${lesson.minutes} minutes · ${count === own.length ? "✓ all done" : `${count} of ${own.length}`}`;
      return make("li", {}, make("a", { href: this.link(lesson.slug, "look"), textContent: lesson.title }), make("small", { textContent: state }), goal);
    }));
  }

  // Text and answer of a step; made once a step, so that what is typed stays.
  build(values) {
    const { lesson } = this;
    const text = make("div", { className: "text" });
    this.steps = make("p", { className: "steps" });
    this.verdict = make("div", { className: "verdict-place" });
    this.verdict.setAttribute("role", "status");
    const question = lesson.questions.find(({ key }) => key === values.step);
    const write = (title, ...parts) => text.append(make("h2", { tabIndex: -1 }, title), ...parts.map((innerHTML) => make("div", { innerHTML })));
    text.append(make("h1", { textContent: lesson.title }));
    if (values.step === "look") write("Look", `<p><strong>Goal.</strong> ${lesson.goal}</p>`, lesson.opening, `<p><strong>What to look for:</strong> ${lesson.look}</p>`);
    else if (values.step === "do") write("Your turn", lesson.task);
    else if (values.step === "why") write("Why it is so", lesson.explanation);
    else {
      write(`Question ${lesson.questions.indexOf(question) + 1} of ${lesson.questions.length}`, question.prompt);
      text.append(this.form(question));
    }
    text.append(this.verdict, this.moves(values));
    const bar = make("div", { className: "bar" });
    this.view = make("div", { className: "view" }, bar);
    this.viewPlace = make("div");
    this.caption = make("p", { className: "caption" });
    this.table = make("div");
    this.view.append(this.viewPlace, this.caption, this.table);
    this.bar = new Bar(bar, lesson.controls, this.change, lesson.options);
    const sides = make("div", { className: WIDE.has(lesson.view) ? "sides wide-view" : "sides" }, text, this.view);
    this.lessonPlace.replaceChildren(this.steps, sides);
    const last = this.attempts.get(`${lesson.slug} ${values.step}`);
    if (question && last) this.say(question, last);
  }

  showSteps(values) {
    const { lesson } = this;
    const state = `${this.shown} ${this.progress()}`;
    if (this.steps.dataset.state === state) return;
    this.steps.dataset.state = state;
    const all = make("a", { href: this.link(null), textContent: "← All lessons" });
    const links = lesson.steps.map((step) => {
      const at = lesson.questions.findIndex(({ key }) => key === step);
      const isDone = this.done.has(lesson.codes[step]);
      const name = `${STEP_NAMES[step] ?? at + 1}${isDone ? " ✓" : ""}`;
      const link = make("a", { href: this.link(lesson.slug, step), textContent: name });
      if (at >= 0) link.setAttribute("aria-label", `question ${at + 1}${isDone ? ", done" : ""}`);
      if (step === values.step) link.setAttribute("aria-current", "step");
      return link;
    });
    this.steps.replaceChildren(all, make("span", { className: "caption" }, `about ${lesson.minutes} minutes`), ...links);
  }

  moves(values) {
    const at = this.lesson.steps.indexOf(values.step);
    const next = PAGE.lessons[PAGE.lessons.indexOf(this.lesson) + 1];
    const after = this.lesson.steps[at + 1];
    const names = { do: "Next: your turn", why: "Next: why it is so" };
    const go = (label, slug, step) => make("button", { type: "button", textContent: label, onclick: () => { location.hash = this.link(slug, step); } });
    const back = go("Back", this.lesson.slug, this.lesson.steps[at - 1]);
    back.disabled = at === 0;
    let on = go("To the list of lessons", null);
    if (after) on = go(names[after] ?? `Next: question ${at + 1}`, this.lesson.slug, after);
    else if (next) on = go(`Next lesson: ${next.title.replace(/^\d+\. /, "")}`, next.slug, "look");
    return make("p", { className: "moves" }, back, on);
  }

  form(question) {
    const form = make("form");
    const unit = question.unit ? `, ${question.unit}` : "";
    if (question.kind === "number") {
      form.append(make("label", { className: "field" }, make("span", {}, `your answer${unit}`),
        make("input", { type: "text", name: "answer", maxLength: LONGEST_ANSWER, autocomplete: "off", placeholder: "a number: 0.25, 1/4 or 2^-2" })));
    } else {
      const legend = make("legend", {}, question.kind === "line" ? "the wrong line" : "your answer");
      form.append(make("fieldset", { className: "answers" }, legend, ...question.options.map((option, value) => {
        const words = question.kind === "line" ? make("code", { textContent: option }) : make("span", { innerHTML: option });
        return make("label", {}, make("input", { type: "radio", name: "answer", value }), words);
      })));
    }
    form.append(make("p", {}, make("button", { type: "submit", textContent: "Check" })));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.check(question, new FormData(form).get("answer") ?? "");
    };
    return form;
  }

  check(question, given) {
    let verdict = { right: false, says: "<p>Give an answer first; a guess will do.</p>" };
    if (given !== "" && question.kind === "number") verdict = checkNumber(question, given);
    else if (given !== "") {
      const right = Number(given) === question.place;
      verdict = { right, says: right ? question.right : question.says[Number(given)] };
    }
    this.attempts.set(this.shown, verdict);
    if (verdict.right) this.tick(question.key);
    this.say(question, verdict);
  }

  tick(item) {
    if (this.done.has(this.lesson.codes[item])) return;
    this.done.add(this.lesson.codes[item]);
    this.page.set("done", this.progress());
  }

  say(question, verdict) {
    const said = verdict.isShown ? "" : verdict.right ? "Right." : verdict.close ? "Close." : "Not yet.";
    const says = verdict.isShown || (verdict.right && question.kind !== "number") ? question.full + question.right : verdict.says;
    const box = make("div", { className: `note ${verdict.right ? "good" : ""}` }, make("strong", {}, said), make("div", { innerHTML: says }));
    if (!verdict.right && !verdict.isShown) {
      box.append(make("button", {
        type: "button", className: "plain", textContent: "Show the answer", onclick: () => {
          this.attempts.set(this.shown, { isShown: true });
          this.say(question, { isShown: true });
        },
      }));
    }
    this.verdict.replaceChildren(box);
  }

  // Notices when the task is done: the library has listed every choice that does it.
  judge(values) {
    const { done, praise } = this.lesson;
    const asked = JSON.stringify(done?.controls.map((name) => values[name]));
    const isDone = done?.values.some((choice) => JSON.stringify(choice) === asked);
    const says = isDone ? `<strong>Done.</strong> ${praise}`
      : done ? "Use the controls of the view. It notices when you have done it." : "The app has the view that this needs.";
    if (this.verdict.dataset.says !== says) this.verdict.replaceChildren(make("div", { className: isDone ? "note good" : "caption", innerHTML: says }));
    this.verdict.dataset.says = says;
    if (isDone) this.tick("do");
  }

  showView(values, look, theme) {
    const { view, charts } = this.lesson;
    const isFigure = view === "decay" || view === "windows" || Object.keys(charts).length;
    if (isFigure && this.figure.parentElement !== this.viewPlace) this.viewPlace.replaceChildren(this.figure);
    const full = { ...values, query: 100, trained: values.trained ?? 128 };
    if (view === "biases") showLive(this.viewPlace, values, this.change);
    else if (view === "decay") this.chart.show(decaySpec({ ...full, trained: values.length }, look));
    else if (view === "windows") this.chart.show(windowsSpec(full, look));
    else if (view === "phases") this.chart.show(phasesSpec(charts, values, theme));
    else if (view === "words") this.chart.show(wordsSpec(charts[`${values.position} ${values.order}`], theme));
    else if (view === "stretching") this.chart.show(stretchingSpec(charts[values.stretched_by], values, theme));
    else if (view === "perplexity") this.showCurves(charts[values.protocol], values, theme);
    else this.viewPlace.replaceChildren(make("p", { className: "note" }, "What the app shows here has no room on one page. The questions can be answered without it."));
    if (view === "decay" || view === "windows" || view === "biases") putTable(this.table, ...headsTable(full));
  }

  showCurves(chart, values, theme) {
    const spec = curvesSpec(chart, values.methods, theme);
    this.figure.hidden = !spec;
    setText(this.caption, spec ? chart.caption + endsText(chart, values.methods) : "None of these methods was measured that way. Choose another one.");
    if (!spec) return;
    this.chart.show(spec);
    putTable(this.table, ...curvesTable(chart, values.methods, "The numbers"));
  }
}
