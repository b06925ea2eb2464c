// Copies the address as it is at the click. Browsers allow the clipboard on https and localhost only;
// elsewhere the older way, a selected field, still works.

function copyBySelection(text, button) {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  // The field took the focus from it.
  button.focus();
  return isCopied;
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, button);
  }
}

// What one has done of the lessons is nobody else's.
function addressToShare() {
  return window.location.href.replace(/([?&])done=[^&#]*&?/, "$1").replace(/[?&](?=#|$)/, "");
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  let timer = 0;
  button.textContent = data.label;
  button.onclick = async () => {
    const isCopied = await copy(data.text || addressToShare(), button);
    button.textContent = isCopied ? "copied" : "not copied";
    status.textContent = isCopied ? "The link is copied." : "The browser refused; copy the address.";
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = data.label;
      status.textContent = "";
    }, 2000);
  };
  return () => clearTimeout(timer);
}
