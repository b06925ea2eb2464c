// Recorded curves, and the small charts of lessons that are not about slopes.

const methodInk = (key, theme) => PAGE.methods[key][theme];

function logTicks(trained, shortest, longest) {
  const ticks = [];
  for (let step = Math.ceil(Math.log2(shortest / trained)); trained * 2 ** step <= longest; step += 1) {
    ticks.push([trained * 2 ** step, `${grouped(trained * 2 ** step)}${step >= -1 ? `\n${2 ** step}×` : ""}`]);
  }
  return ticks;
}

// One or more curves over a logarithmic axis of lengths; null where none is left.
function curvesSpec(chart, methods, theme, along = "evaluation window") {
  const curves = chart.curves.filter(({ method }) => methods.includes(method));
  if (!curves.length) return null;
  const points = curves.flatMap((curve) => curve.points);
  const [shortest, longest] = [Math.min, Math.max].map((pick) => pick(...points.map(([length]) => length)));
  const low = Math.min(...points.map(([, mean, lowest]) => lowest ?? mean));
  const high = Math.max(...points.map(([, mean, , highest]) => highest ?? mean));
  const room = Math.max((high / low) ** 0.06, 1.01);
  const ends = curves.map(({ method, points: own }) => `${PAGE.methods[method].label} from ${shortNumber(own[0][1])} at `
    + `${grouped(own[0][0])} to ${shortNumber(own.at(-1)[1])} at ${grouped(own.at(-1)[0])} tokens`);
  return {
    height: 460, right: 100,
    alt: `${chart.axis[0].toUpperCase()}${chart.axis.slice(1)} against ${along.replace("window", "length")} for models trained on ${grouped(chart.trained)} tokens: ${ends.join("; ")}.`,
    x: {
      low: shortest / 1.15, high: longest * 1.06, isLog: true, room: 64, widest: 48,
      ticks: logTicks(chart.trained, shortest, longest), name: `${along}, tokens (× training length)`,
    },
    shades: longest > chart.trained ? [{ from: chart.trained, to: longest * 1.06, words: "longer than in training", dotted: true }] : [],
    panels: [{
      y: { low: low / room, high: high * room, isLog: true, name: chart.axis },
      series: curves.map((curve) => methodLine(curve, theme)).sort((a, b) => a.width - b.width),
    }],
  };
}

function methodLine({ method, points, ends }, theme) {
  const look = PAGE.methods[method];
  const isRange = points.some((point) => point.length > 2);
  return {
    colour: look[theme], width: look.width, dash: look.dash, symbol: look.symbol,
    end: `${look.label}${ends ? " †" : ""}`, points,
    band: isRange ? points.map(([length, mean, low = mean, high = mean]) => [length, low, high]) : null,
    says: (_, [length, mean, low, high, seeds]) => `${look.label}, ${tokens(length)}: ${mean}`
      + `${seeds ? ` (${low} to ${high}, ${seeds} seeds)` : ""}${ends ? `; ${ends}` : ""}`,
  };
}

// What the daggers at the ends of lines mean.
function endsText({ curves }, methods) {
  const early = curves.filter(({ method, ends }) => ends && methods.includes(method));
  return early.map(({ method, ends }) => ` † ${PAGE.methods[method].label}: ${ends}.`).join("");
}

function curvesTable(chart, methods, title) {
  const curves = chart.curves.filter(({ method }) => methods.includes(method));
  const lengths = [...new Set(curves.flatMap(({ points }) => points.map(([length]) => length)))].sort((a, b) => a - b);
  const rows = curves.map(({ method, points }) => [PAGE.methods[method].label, ...lengths.map((length) => {
    const [, mean, low, high] = points.find((point) => point[0] === length) ?? [];
    return mean === undefined ? "–" : `${mean}${low === undefined ? "" : ` (${low}–${high})`}`;
  })]);
  return [title, [`method: ${chart.axis} (range over seeds)`, ...lengths.map((length) => `${grouped(length)} tokens`)], rows];
}

function ratioOf(chart) {
  const over = ({ points }) => points.find(([length]) => length === chart.trained)[1];
  const curves = chart.curves.map((curve) => ({
    ...curve, points: curve.points.map(([length, value]) => [length, Number((value / over(curve)).toPrecision(5))]),
  }));
  return { ...chart, curves, axis: PAGE.measured.ours.find(({ measure }) => measure === "ratio").axis };
}

class Measured {
  constructor(section, change) {
    this.keys = ["protocol", "measure", "methods", "L", "paper"];
    this.section = section;
    const find = (name) => section.querySelector(`.${name}`);
    this.bars = [[".bar", ["protocol", "measure", "methods"]], [".ours .bar", ["L"]], [".papers .bar", ["paper"]]]
      .map(([place, keys]) => new Bar(section.querySelector(place), keys, change));
    this.places = ["ours", "papers", "positions"].map((name) => ({ place: find(name), chart: new Chart(find(name).querySelector("figure")) }));
  }

  show(values, _, theme) {
    this.bars.forEach((bar) => bar.show(values));
    const { ours, papers, positions } = PAGE.measured;
    const isAsked = (chart) => chart.protocol === values.protocol && chart.trained === Number(values.L);
    const own = ours.find((chart) => isAsked(chart) && chart.measure === values.measure);
    let paper = papers.find((chart) => chart.protocol === values.protocol && chart.choice === values.paper);
    if (paper && values.measure === "ratio") paper = ratioOf(paper);
    const shown = [[own, "evaluation window"], [paper, "evaluation window"], [positions.find(({ trained }) => trained === Number(values.L)), "context of a token"]];
    shown.forEach(([chart, along], at) => this.put(this.places[at], chart, along, values, theme));
    const says = ours.find((chart) => isAsked(chart) && chart.says)?.says ?? [];
    this.section.querySelector(".said").innerHTML = says.map((said) => `<li>${said}</li>`).join("");
  }

  put({ place, chart }, data, along, { methods }, theme) {
    const spec = data && curvesSpec(data, methods, theme, along);
    place.querySelector("figure").hidden = place.querySelector(".table").hidden = !spec;
    const says = data?.caption ?? `<strong>What to look for:</strong> ${data?.says.join(" ")}`;
    place.querySelector(".caption").innerHTML = spec ? says + endsText(data, methods) : "Nothing was measured for this choice.";
    if (!spec) return;
    chart.show(spec);
    putTable(place.querySelector(".table"), ...curvesTable(data, methods, `The numbers, against the ${along}${data.choice ? ", from the paper" : ""}`));
  }
}

// How often channel pairs turn within a training text; one dot a pair.
function phasesSpec({ perToken }, { position, trained }, theme) {
  const colour = methodInk(position, theme);
  const turns = perToken.map((turn) => turn * (trained - 1));
  const unseen = turns.filter((turn) => turn < 1).length;
  return {
    height: 440,
    alt: `Turns of each of ${turns.length} channel pairs within ${grouped(trained)} training tokens, on a logarithmic axis: from ${shortNumber(turns[0])} `
      + `of the fastest pair to ${shortNumber(Number(turns.at(-1).toPrecision(2)))} of the slowest. ${unseen} pairs have not gone around once.`,
    x: {
      low: 1e-4, high: 4e3, isLog: true, name: `turns within ${grouped(trained)} tokens of training`,
      ticks: [-4, -3, -2, -1, 0, 1, 2, 3].map((ten) => [10 ** ten, ten ? `10${superscript(ten)}` : "1"]),
    },
    shades: [{ from: 1e-4, to: 1, words: `${unseen} pairs: new angles past training` }],
    panels: [{
      y: {
        low: turns.length - 0.2, high: -0.8, name: "channel pair, fastest on top", isGrid: false,
        ticks: niceTicks(0, turns.length - 1, 380, 40).filter(Number.isInteger).map((pair) => [pair, pair]),
      },
      series: [{
        colour, width: 0, symbol: "circle", points: turns.map((turn, pair) => [turn, pair]), open: turns.map((turn) => turn < 1),
        says: (_, [turn, pair]) => `pair ${pair}: ${plain(turn)} turns in training`,
      }],
    }],
  };
}

// What a longer window turns or costs, as trained and stretched: a line from one to the other.
function stretchingSpec(rule, { stretch, window: trained }, theme) {
  const { title, part, unit } = rule;
  const length = trained * stretch;
  const [before, after] = [rule.before, rule.after[stretch]].map((rates) => rates.map((rate) => rate * length));
  const colour = methodInk(rule.method, theme);
  const all = [...before, ...after].filter((end) => end > 0);
  const [low, high] = [Math.min(...all) / 2, Math.max(...all) * 1.5];
  // Once around the circle there is no angle left to see.
  const seen = rule.before.map((rate) => (unit === "turns" && rate * trained >= 1 ? high : rate * trained));
  const bands = seen.map((end, lane) => ({ colour: "var(--quiet)", width: 16, points: [[low, lane + 1], [end, lane + 1]] }));
  const lanes = before.map((end, lane) => [[end, lane + 1], [after[lane], lane + 1]]);
  const says = (_, [end, lane], at) => `${part} ${lane}, ${at ? "stretched" : "as trained"}: ${shortNumber(end)} ${unit}`;
  const told = before.map((end, lane) => `${part} ${lane + 1} ${shortNumber(end)} to ${shortNumber(after[lane])}`);
  return {
    height: 380, alt: `${title}. At ${grouped(length)} tokens, in ${unit}: ${told.join(", ")}.`,
    x: { low, high, isLog: true, name: `${unit} at ${grouped(length)} tokens: open as trained, filled stretched` },
    panels: [{
      y: { low: before.length + 0.6, high: 0.4, isGrid: false, name: part, ticks: before.map((_, lane) => [lane + 1, lane + 1]) },
      series: [...bands, ...lanes.map(([from, to]) => ({ colour, width: 1.4, symbol: "circle", open: [true, false], points: to[0] > 0 ? [from, to] : [from], says }))],
    }],
  };
}

// The attention of a sentence's last word; a line to each word's weight.
function wordsSpec({ words, weights, method, alt }, theme) {
  const isTwice = (word) => words.indexOf(word) !== words.lastIndexOf(word);
  return {
    height: 330, left: 110, alt,
    x: { low: 0, high: 1.15 * Math.max(...weights), name: `attention weight of the query “${words.at(-1)}”` },
    panels: [{
      y: { low: words.length - 0.4, high: -0.6, isGrid: false, ticks: words.map((word, place) => [place, `${place}  ${word}`]) },
      labels: words.map((word, place) => ({ text: weights[place].toFixed(3), at: [weights[place], place + 0.25], colour: "var(--st-text-color)", isAfter: true })),
      series: words.map((word, place) => ({
        colour: isTwice(word) ? methodInk(method, theme) : "var(--quiet)", width: 16, points: [[0, place], [weights[place], place]],
        says: () => `${word}: weight ${weights[place].toFixed(4)}`,
      })),
    }],
  };
}
