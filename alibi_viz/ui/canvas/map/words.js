// Tokens and numbers as the view writes them.

function visibleText(text) {
  const shown = text.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll(" ", "·");
  return shown === "" ? "∅" : shown;
}

function shortToken(text, most = 9) {
  const signs = [...visibleText(text)];
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : signs.join("");
}

function nats(value) {
  if (Number.isNaN(value)) return "masked";
  if (value === 0) return "0.00";
  const text = Math.abs(value) < 0.005 ? value.toExponential(1) : value.toFixed(2);
  return withMinus(value > 0 ? `+${text}` : text);
}

function weightWords(weight, logWeight) {
  if (Number.isNaN(logWeight)) return "masked";
  return weight >= 1e-4 ? plain(weight) : powerOfTen(logWeight);
}

const QUANTITIES = ["content", "position", "logit", "weight"];

function quantityText(head, quantity, query, key) {
  if (!head.isVisible(query, key)) return "masked";
  if (!head.knows(quantity)) return "not known";
  if (quantity === "weight") return weightWords(head.weight(query, key), head.logWeight(query, key));
  if (quantity === "position" && !head.by) return "none";
  return nats(head.value(quantity, query, key));
}

function differenceText(difference, quantity, query, key) {
  if (!difference.knows(quantity)) return "not known";
  const value = difference.value(quantity, query, key);
  if (Number.isNaN(value)) return "masked";
  if (quantity !== "weight") return nats(value);
  return value === 0 ? "0" : `${value > 0 ? "+" : ""}${plain(value)}`;
}
