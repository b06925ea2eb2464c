// Decay and windows at equal content: the formulas of formula.js, as curves, sentences and a table.

const OWN_KEY_PLACE = 0.5;
const WEIGHT_FLOOR = 1e-6;
const MASS_SYMBOLS = ["circle", "square", "diamond", "triangle-up"];
const UNLIMITED = 2 ** 40;

const grouped = (number) => number.toLocaleString("en");

// Three significant digits, as Python spells them: of two that are equally near, the even one.
const THREE_DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "halfEven", useGrouping: false });

function shortNumber(number) {
  const [up, even] = [Number(number.toPrecision(3)), Number(THREE_DIGITS.format(number))];
  // The even one only where nothing follows: 20.05 is a little more in binary.
  const rounded = up !== even && /^0*$/.test(number.toExponential(40).slice(5, 42)) ? even : up;
  if (rounded >= 1e-4 || rounded === 0) return String(rounded);
  return rounded.toExponential().replace(/e-(\d)$/, "e-0$1");
}

// Numbers as the library's words.py spells them.
function tokensText(number) {
  const text = number >= 20 ? grouped(Math.round(number)) : String(Number(number.toPrecision(2)));
  return `${text} token${text === "1" ? "" : "s"}`;
}

function percentText(share) {
  if (share >= 0.0995 || !share) return `${(100 * share).toFixed(0)} %`;
  return `${Number((100 * share).toPrecision(2))} %`;
}

function countText(number, thing) {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}

function slopeName(slope) {
  return isUnitFraction(slope) ? slopePower(slope) : shortNumber(slope);
}

const halfLife = (slope) => Math.LN2 / slope;
const queryOf = ({ length, query }) => Math.round((query / 100) * (length - 1));

// exp of the entropy of one query's weights, from the mean distance of a cut geometric sequence.
function effectiveKeys(slope, query) {
  const count = query + 1;
  const mean = 1 / Math.expm1(slope) - count / Math.expm1(slope * count);
  return Math.exp(logNormaliser(slope, query) + slope * mean);
}

function ends(slopes) {
  const steep = slopes.indexOf(Math.max(...slopes));
  return [steep, slopes.indexOf(Math.min(...slopes))];
}

// Which tokens of a curve are drawn: about the library's spacing, and every one of the first.
function distancesDrawn(query, isLog, also) {
  const wanted = new Set([0, query, ...also.filter((distance) => distance >= 0 && distance <= query)]);
  for (let step = 0; step < 120; step += 1) {
    wanted.add(Math.round(query ** (step / 119)));
    if (!isLog) wanted.add(Math.round((query * step) / 119));
  }
  return [...wanted].filter((distance) => distance <= query).sort((a, b) => a - b);
}

function tokenAxisTicks(length, withZero) {
  const ticks = withZero ? [[OWN_KEY_PLACE, "0"]] : [];
  for (let power = 1; power <= length; power *= length > 64 ? 4 : 2) ticks.push([power, grouped(power)]);
  return ticks;
}

function headsTable(values) {
  const slopes = alibiSlopes(values.heads, values.exponent, values.rule);
  const query = queryOf(values);
  const columns = ["head", "slope, nats/token", "half-life, tokens", "95 % in unlimited context",
    ...PAGE.masses.map((mass) => `${Math.round(100 * mass)} % window`), "effective keys", "weight on itself"];
  const rows = slopes.map((slope, head) => [
    head + 1, `${slopeName(slope)}${isUnitFraction(slope) ? ` = ${Number(slope.toPrecision(6))}` : ""}`, grouped(Number(halfLife(slope).toFixed(1))),
    grouped(effectiveWindow(slope, UNLIMITED, MASS)),
    ...PAGE.masses.map((mass) => grouped(effectiveWindow(slope, query, mass))),
    grouped(Number(effectiveKeys(slope, query).toFixed(1))), Math.exp(logWeight(slope, query, 0)).toPrecision(4),
  ]);
  return [`Windows of query ${grouped(query)}: all heads as a table`, columns, rows];
}

function exploreSentence(values) {
  const slopes = alibiSlopes(values.heads, values.exponent, values.rule);
  const [steep, flat] = ends(slopes);
  const window = (head) => grouped(effectiveWindow(slopes[head], values.length - 1, MASS));
  const first = `at equal content, head ${steep + 1} halves its attention weight every ${tokensText(halfLife(slopes[steep]))}. `
    + `The last query keeps 95 % of it on the ${window(steep)} nearest of its ${grouped(values.length)} keys.`;
  if (slopes.length === 1) return first;
  return `${first} Head ${flat + 1} halves it every ${tokensText(halfLife(slopes[flat]))} and needs ${window(flat)}.`;
}

function decaySentence(values) {
  const slopes = alibiSlopes(values.heads, values.exponent, values.rule);
  const [steep, flat] = ends(slopes);
  const query = queryOf(values);
  const window = (head) => grouped(effectiveWindow(slopes[head], query, MASS));
  const first = `head ${steep + 1} halves its weight every ${tokensText(halfLife(slopes[steep]))} and holds 95 % of its `
    + `attention on ${window(steep)} of ${countText(query + 1, "key")}`;
  const second = flat === steep ? "." : `; head ${flat + 1} halves it every ${tokensText(halfLife(slopes[flat]))} and needs ${window(flat)}.`;
  return `${first}${second} ${beyondTraining(slopes, query, values.trained)}`;
}

function beyondTraining(slopes, query, trained) {
  const known = `training on ${grouped(trained)} tokens`;
  if (query < trained) return `Every distance of this query occurs in ${known}.`;
  const beyond = slopes.map((slope) => 1 - massOfNearest(slope, query, trained));
  const many = beyond.filter((share) => share >= 0.01).length;
  if (!many) return `No head puts as much as 1 % of the attention on distances that ${known} never had.`;
  const most = Math.max(...beyond);
  return `${many} of ${countText(slopes.length, "head")} put${many === 1 ? "s" : ""} 1 % or more of the attention on distances `
    + `that ${known} never had (at most ${percentText(most)}, head ${beyond.indexOf(most) + 1}).`;
}

function decaySpec(values, look) {
  const slopes = alibiSlopes(values.heads, values.exponent, values.rule);
  const colours = headColours(slopes, look.heads);
  const [query, last, chosen] = [queryOf(values), values.length - 1, Math.min(values.head, slopes.length) - 1];
  const isLog = values.distance === "log";
  const place = (distance) => (isLog && distance === 0 ? OWN_KEY_PLACE : distance);
  const distances = distancesDrawn(query, isLog, [values.trained - 1, values.trained]);
  const reach = Math.max(last, 1);
  const x = isLog ? { low: 0.42, high: reach * 1.12, isLog, ticks: tokenAxisTicks(values.length, true) }
    : { low: -0.01 * reach, high: 1.02 * reach };
  const highest = Math.exp(logWeight(Math.max(...slopes), query, 0));
  const weightAxis = values.weight === "log"
    ? { low: WEIGHT_FLOOR, high: 10 ** 0.2, isLog: true, ticks: [0, 1, 2, 3, 4, 5, 6].map((ten) => [10 ** -ten, ten ? `10${superscript(-ten)}` : "1"]) }
    : { low: -0.015 * highest, high: 1.06 * highest };
  const named = [...new Set([chosen, ...ends(slopes)])];
  const says = (what) => (series, point, index) => `head ${series.head + 1}, slope ${slopeName(slopes[series.head])}: distance ${grouped(distances[index])}, ${what} ${shortNumber(point[1])}`;
  const series = (valueOf) => slopes.map((slope, head) => ({
    head, colour: colours[head], width: head === chosen ? 3.4 : 1.6,
    points: distances.map((distance) => [place(distance), valueOf(slope, distance)]),
  })).sort((a, b) => (a.head === chosen) - (b.head === chosen));
  const weightOf = (slope, distance) => Math.exp(logWeight(slope, query, distance));
  const isShaded = values.trained <= last;
  return {
    height: 500,
    alt: `Attention weight of one key, and its running sum, against distance for ${countText(slopes.length, "head")} with slopes from `
      + `${shortNumber(Math.max(...slopes))} to ${shortNumber(Math.min(...slopes))} nats per token and a query with ${countText(query + 1, "key")}. `
      + "The steeper the slope, the higher a curve begins and the earlier it falls.",
    x: { ...x, name: "distance from query to key, tokens" },
    shades: [
      ...(isShaded ? [{ from: Math.max(values.trained - 0.5, OWN_KEY_PLACE), to: reach * 1.12, words: "never seen in training", isBetween: true, dotted: true }] : []),
      ...(query < last ? [{ from: Math.max(query, OWN_KEY_PLACE), to: reach * 1.12, words: `no keys: query ${grouped(query)}`, dotted: true }] : []),
    ],
    panels: [
      {
        share: 0.6, y: { ...weightAxis, name: "weight of one key" }, says: says("weight"),
        series: series((slope, distance) => (values.weight === "log" ? Math.max(weightOf(slope, distance), 1e-9) : weightOf(slope, distance))),
        labels: named.map((head) => {
          const distance = Math.min(Math.round(halfLife(slopes[head])), query);
          return { text: `head ${head + 1}, slope ${slopeName(slopes[head])}`, colour: colours[head], at: [place(distance), Math.max(weightOf(slopes[head], distance), WEIGHT_FLOOR)] };
        }),
      },
      {
        share: 0.4, says: says("held up to there:"),
        y: { low: -0.03, high: 1.06, name: "share up to there", ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => [share, `${100 * share} %`]) },
        series: series((slope, distance) => massOfNearest(slope, query, distance + 1)),
      },
    ],
  };
}

function windowsSpec(values, look) {
  const slopes = alibiSlopes(values.heads, values.exponent, values.rule);
  const colours = headColours(slopes, look.heads);
  const query = queryOf(values);
  const order = slopes.map((_, head) => head).sort((a, b) => slopes[b] - slopes[a] || a - b);
  const closed = slopes.map((slope) => effectiveWindow(slope, UNLIMITED, MASS));
  const high = Math.max(...closed, query + 1) * 1.5;
  const chosen = order.indexOf(Math.min(values.head, slopes.length) - 1);
  const main = slopes.map((slope) => effectiveWindow(slope, query, MASS));
  const beyond = order.map((head, at) => [at, closed[head]]).filter(([, tokensNeeded]) => tokensNeeded > query + 1);
  const series = PAGE.masses.map((mass, index) => ({
    stroke: "var(--muted)", colour: "var(--muted)", ink: "var(--st-text-color)", width: 0.8, symbol: MASS_SYMBOLS[index], size: slopes.length > 16 ? 2.5 : 4,
    colours: order.map((head) => colours[head]), end: `${Math.round(100 * mass)} %`,
    points: order.map((head, at) => [at, effectiveWindow(slopes[head], query, mass)]),
    says: (_, point) => `head ${order[point[0]] + 1}, slope ${slopeName(slopes[order[point[0]]])}: ${tokens(point[1])} hold ${Math.round(100 * mass)} %`,
  }));
  series.push({
    colour: "var(--muted)", width: 0, symbol: "square", points: beyond, open: beyond.map(() => true),
    says: (_, point) => `head ${order[point[0]] + 1}: ${tokens(point[1])} would hold 95 % if the text went on`,
  });
  return {
    height: 500, right: 52,
    alt: `Tokens that hold 50, 90, 95 and 99 % of each head's attention, heads from the steepest to the flattest slope. The 95 % window runs from `
      + `${grouped(Math.min(...main))} to ${grouped(Math.max(...main))} of ${countText(query + 1, "key")}.`,
    x: { low: -0.6, high: slopes.length - 0.4, isGrid: false, widest: 26, ticks: order.map((head, at) => [at, head + 1]), name: "head, steepest slope first" },
    shades: [{ from: chosen - 0.4, to: chosen + 0.4 }],
    panels: [{
      y: { low: 0.8, high, isLog: true, ticks: tokenAxisTicks(high, false), name: "window, tokens" },
      rules: [{ at: query + 1, words: `all ${grouped(query + 1)} keys of query ${grouped(query)}` }],
      labels: beyond.length ? [{ text: "□ 95 % if the text went on", at: [beyond.at(-1)[0], beyond.at(-1)[1]], colour: "var(--muted)" }] : [],
      series,
    }],
  };
}
