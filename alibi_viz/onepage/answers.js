// Numbers as a student types them, and what is said to them: the library's answers.py and the
// check of questions.py once more, since there is no server to ask. A test compares the two.

const ABOUT_BEFORE = new RegExp(PAGE.typing.about, "i");
const UNIT_BEHIND = new RegExp(PAGE.typing.unit, "i");
const PLAIN_NUMBER = /^-?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;
const LONGEST_ANSWER = 60;
const CLOSE = 0.05;
const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, ln: Math.log, log: Math.log, cos: Math.cos };
const NAMED_NUMBERS = { e: Math.E, pi: Math.PI };

function spelledOut(text) {
  const raised = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
  let out = text.replace(/[⁻⁰¹²³⁴-⁹]+/g, (signs) => `^(${[...signs].map((sign) => "-0123456789"[raised.indexOf(sign)]).join("")})`);
  out = out.trim().replace(/√\s*(\d+)/g, "√($1)").replace(/\b(ln|log|sqrt|exp|cos)\s+([\d.]+)/g, "$1($2)");
  out = out.replace(/(?<=\d)\s*x\s*(?=\d)/g, "*").replace(/(?<=\d)[\s\u202f](?=\d{3}\b)/g, "");
  for (const [sign, spelled] of PAGE.typing.spellings) out = out.replaceAll(sign, spelled);
  if (/^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(out)) return out.replaceAll(",", "");
  return out.replaceAll(",", ".").replace(/(?<![\d.])0+(?=\d)/g, "");
}

// Works out a calculation: sums, products, powers, brackets, and the functions above.
class Calculation {
  constructor(text) {
    this.parts = text.match(/\s+|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|\*\*|[a-z]+|./gi)?.filter((part) => part.trim()) ?? [];
    this.at = 0;
  }

  value() {
    const number = this.sum();
    if (this.at < this.parts.length) throw new Error("more than a calculation");
    return number;
  }

  take(...wanted) {
    return wanted.includes(this.parts[this.at]) ? this.parts[this.at++] : null;
  }

  sum() {
    let left = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const right = this.product();
      left = finite(sign === "+" ? left + right : left - right);
    }
    return left;
  }

  product() {
    let left = this.signed();
    for (let sign = this.take("*", "/"); sign; sign = this.take("*", "/")) {
      const right = this.signed();
      left = finite(sign === "*" ? left * right : left / right);
    }
    return left;
  }

  signed() {
    if (this.take("-")) return -this.signed();
    return this.take("+") ? this.signed() : this.power();
  }

  power() {
    const base = this.single();
    return this.take("**") ? finite(base ** this.signed()) : base;
  }

  single() {
    const part = this.parts[this.at++] ?? "";
    if (/^[.\d]/.test(part) && part !== ".") return finite(Number(part));
    if (part === "(") return this.closed();
    if (part in FUNCTIONS && this.take("(")) return finite(FUNCTIONS[part](this.closed()));
    if (part in NAMED_NUMBERS) return NAMED_NUMBERS[part];
    throw new Error("neither a number nor a calculation");
  }

  closed() {
    const number = this.sum();
    if (!this.take(")")) throw new Error("a bracket is open");
    return number;
  }
}

function finite(number) {
  if (!Number.isFinite(number)) throw new Error("not a finite number");
  return number;
}

// Returns the number that a text means, its unit, half a unit of its last digit, and its digits.
function readNumber(text) {
  if ([...text].length > LONGEST_ANSWER) throw new Error("not a number");
  let wanted = text.trim().replace(ABOUT_BEFORE, "");
  const behind = wanted.match(UNIT_BEHIND);
  wanted = spelledOut(behind ? wanted.slice(0, behind.index) : wanted);
  const number = new Calculation(wanted).value();
  const unit = behind ? PAGE.typing.units[behind[1].toLowerCase()] : "";
  const plainly = wanted.match(PLAIN_NUMBER);
  if (!plainly) return { number, unit, slack: 0, digits: 15 };
  const [whole, decimals] = [plainly[1], plainly[2]];
  let power = Number(plainly[3] ?? 0);
  let digits = (whole + decimals).replace(/^0+/, "").length;
  const zeros = whole.length - whole.replace(/0+$/, "").length;
  if (!wanted.includes(".") && digits - zeros > 1) [digits, power] = [digits - zeros, power + zeros];
  return { number, unit, slack: 0.5 * 10 ** (power - decimals.length), digits };
}

function unitFactor(unit, wanted) {
  if (unit === "" || unit === wanted || (!wanted && unit !== "%")) return 1;
  const factors = { "% to ": 0.01, "bits to nats": Math.LN2, "nats to bits": 1 / Math.LN2 };
  return factors[`${unit} to ${wanted}`] ?? 0;
}

function agrees({ tolerance }, given, wanted, slack) {
  const allowed = tolerance ? slack * (1 + 1e-9) : 0;
  const relative = Math.max(tolerance, 1e-9) * Math.max(Math.abs(given), Math.abs(wanted));
  return Math.abs(given - wanted) <= Math.max(relative, allowed, 1e-12);
}

// Returns what is said to a number as it was typed: {right, close, says}.
function checkNumber(question, given) {
  const wrong = (says, close = false) => ({ right: false, close, says });
  let typed;
  try {
    typed = readNumber(given);
  } catch {
    return wrong("<p>Type a number: <code>0.25</code>, <code>1/4</code> and <code>2^-2</code> all count as the same.</p>");
  }
  const factor = unitFactor(typed.unit, question.unit);
  if (!factor) {
    const says = `<p>You gave ${typed.unit}; the question asks for ${question.unit}.</p>`;
    return wrong(says, agrees(question, typed.number, question.answer, typed.slack));
  }
  const number = typed.number * factor;
  for (const slack of [0, typed.digits > 1 ? typed.slack * factor : 0]) {
    const isBare = question.unit === "%" && !typed.unit;
    const isRight = agrees(question, number, question.answer, slack)
      || (isBare && agrees(question, 100 * typed.number, question.answer, 100 * slack));
    if (isRight) return { right: true, close: false, says: question.right };
    for (const [value, says] of question.mistakes) if (agrees(question, number, value, slack)) return wrong(says);
  }
  return nearly(question, typed, number, typed.slack * factor) ?? wrong(question.hint);
}

function nearly(question, typed, number, slack) {
  const { tolerance, unit, answer } = question;
  const close = (says) => ({ right: false, close: true, says: `<p>${says}</p>` });
  const off = Math.abs(number - answer);
  if (tolerance && typed.digits === 1 && off <= slack && slack <= Math.abs(answer) / 4) {
    return close("Right as far as it goes. Give one more digit.");
  }
  if (!unit && !typed.unit && agrees(question, number / 100, answer, 0)) {
    return close(`Is that in percent? Then write <code>${Number(typed.number.toPrecision(6))} %</code>.`);
  }
  if (!(off > 0 && off <= CLOSE * Math.abs(answer))) return null;
  const share = shortNumber(Number(((100 * off) / Math.abs(answer)).toPrecision(1)));
  const last = tolerance ? "keep more digits on the way" : "the answer is a whole number";
  return close(`You are ${share} % off. Check the last step; ${last}.`);
}
