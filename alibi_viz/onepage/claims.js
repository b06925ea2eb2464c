// The claims: all of them are there; a choice hides the others.

class Claims {
  constructor(section, change) {
    this.keys = ["verdict", "topic", "search"];
    this.section = section;
    this.fields = Object.fromEntries(this.keys.map((key) => [key, section.querySelector(`[name=${key}]`)]));
    for (const [key, field] of Object.entries(this.fields)) field.oninput = () => change(key, field.value);
    this.claims = [...section.querySelectorAll(".claim")];
  }

  show(values) {
    for (const [key, field] of Object.entries(this.fields)) if (field.value !== values[key]) field.value = values[key];
    const words = values.search.toLowerCase().split(/\s+/);
    const shown = this.claims.filter((claim) => {
      const text = claim.textContent.toLowerCase();
      return ["verdict", "topic"].every((key) => ["all", claim.dataset[key]].includes(values[key])) && words.every((word) => text.includes(word));
    });
    this.claims.forEach((claim) => { claim.hidden = !shown.includes(claim); });
    const counts = [...this.fields.verdict.options].map(({ value }) => [shown.filter((claim) => claim.dataset.verdict === value).length, value]);
    const tally = counts.filter(([count]) => count).map(([count, verdict]) => `${count} ${verdict}`).join(", ");
    setText(this.section.querySelector(".tally"), shown.length ? `${countText(shown.length, "claim")}: ${tally}.` : "No claim has all of these words under this verdict and topic.");
  }
}
