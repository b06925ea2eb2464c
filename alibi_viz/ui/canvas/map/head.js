// One head's attention, made from its queries, keys and position term, as
// alibi_viz.inspection.adapters.records makes it: tests/browser compares the two.

class Head {
  constructor(about, arrays, index, length) {
    const of = (name) => arrays[`${name}${index}`];
    Object.assign(this, { ...about, length, q: of("q"), k: of("k"), term: of("position"), mask: of("mask") });
    this.width = this.q.length / length;
    this.product = ROUND[about.product];
    this.total = ROUND[about.total];
    this.result = ROUND[about.result];
    this.fillLogits();
  }

  isVisible(query, key) {
    if (this.mask) return this.mask[query * this.length + key] === 1;
    return key <= query;
  }

  // scale * q . k in nats.
  content(query, key) {
    const { q, k, width } = this;
    let sum = 0;
    for (let c = 0, a = query * width, b = key * width; c < width; c += 1) sum += q[a + c] * k[b + c];
    return Math.fround(this.product(Math.fround(sum)) * this.scale);
  }

  // What the model adds, before a constant of the row is taken off.
  added(query, key) {
    if (!this.term) return 0;
    return this.by === "key" ? this.term[key] : this.term[query - key] ?? 0;
  }

  // The position term, zero at the query's own key.
  position(query, key) {
    return Math.fround(this.added(query, key) - this.added(query, query));
  }

  // (query, key) logits, NaN where masked; per query the logarithm of the sum of their exponentials.
  fillLogits() {
    const { length } = this;
    this.logits = new Float32Array(length * length).fill(NaN);
    this.normaliser = new Float64Array(length).fill(NaN);
    for (let query = 0; query < length; query += 1) this.fillRow(query);
  }

  fillRow(query) {
    const { length, logits } = this;
    const start = query * length;
    const constant = this.added(query, query);
    const last = this.mask ? length - 1 : query;
    let highest = -Infinity;
    for (let key = 0; key <= last; key += 1) {
      if (!this.isVisible(query, key)) continue;
      const sum = this.total(Math.fround(this.content(query, key) + this.added(query, key)));
      logits[start + key] = sum - constant;
      highest = Math.max(highest, logits[start + key]);
    }
    let sum = 0;
    for (let key = 0; key <= last; key += 1) {
      const logit = logits[start + key];
      if (logit === logit) sum += Math.exp(logit - highest);
    }
    this.normaliser[query] = highest + Math.log(sum);
  }

  logit(query, key) {
    return this.logits[query * this.length + key];
  }

  logWeight(query, key) {
    return this.logit(query, key) - this.normaliser[query];
  }

  weight(query, key) {
    const logWeight = this.logWeight(query, key);
    return Number.isNaN(logWeight) ? 0 : this.result(Math.exp(logWeight));
  }

  seesNothing(query) {
    return !Number.isFinite(this.normaliser[query]);
  }

  value(view, query, key) {
    if (!this.isVisible(query, key)) return NaN;
    if (view === "weight") return this.weight(query, key);
    if (view === "log weight") return this.logWeight(query, key);
    return this[view](query, key);
  }

  values(view) {
    return view === "logit" ? this.logits : filled(this, view);
  }

  knows() {
    return true;
  }
}

// A head of which only the weights are known, as alibi_viz.inspection.adapters.given holds them.
class GivenHead {
  constructor(about, arrays, index, length) {
    Object.assign(this, { ...about, length, given: arrays[`weights${index}`] });
  }

  knows(quantity) {
    return quantity === "weight";
  }

  // A weight of 0 counts as masked: nothing tells it from one.
  isVisible(query, key) {
    return this.weight(query, key) > 0;
  }

  weight(query, key) {
    return key <= query ? this.given[(query * (query + 1)) / 2 + key] : 0;
  }

  logWeight(query, key) {
    return this.isVisible(query, key) ? Math.log(this.weight(query, key)) : NaN;
  }

  seesNothing(query) {
    for (let key = 0; key <= query; key += 1) if (this.isVisible(query, key)) return false;
    return true;
  }

  value(view, query, key) {
    if (!this.isVisible(query, key)) return NaN;
    if (view === "weight") return this.weight(query, key);
    return view === "log weight" ? this.logWeight(query, key) : NaN;
  }

  values(view) {
    return filled(this, view);
  }
}

// (query, key) values of a view, NaN where masked.
function filled(head, view) {
  const { length } = head;
  const values = new Float32Array(length * length).fill(NaN);
  for (let query = 0; query < length; query += 1) {
    const last = head.mask ? length - 1 : query;
    for (let key = 0; key <= last; key += 1) values[query * length + key] = head.value(view, query, key);
  }
  return values;
}

// What the second head has more than the first.
class Difference {
  constructor(first, second) {
    Object.assign(this, { first, second, length: first.length });
  }

  knows(quantity) {
    return this.first.knows(quantity) && this.second.knows(quantity);
  }

  isVisible(query, key) {
    return this.first.isVisible(query, key) && this.second.isVisible(query, key);
  }

  seesNothing(query) {
    return this.first.seesNothing(query) || this.second.seesNothing(query);
  }

  value(view, query, key) {
    return this.second.value(view, query, key) - this.first.value(view, query, key);
  }

  values(view) {
    const [before, after] = [this.first.values(view), this.second.values(view)];
    return after.map((value, index) => value - before[index]);
  }
}
