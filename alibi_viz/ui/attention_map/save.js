// The picture as a PNG file with the page's state in it.

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// A tEXt chunk: keyword, a zero, text in Latin-1; JSON escapes everything beyond ASCII.
function textChunk(keyword, text) {
  const body = new TextEncoder().encode(`tEXt${keyword}\0${text}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return chunk;
}

// After the signature and the header, which are 33 bytes in every PNG.
function withText(png, keyword, text) {
  return new Blob([png.slice(0, 33), textChunk(keyword, text), png.slice(33)], { type: "image/png" });
}

function picture(view) {
  const { layout, ratio, look } = view;
  const canvas = document.createElement("canvas");
  const titleRoom = 28;
  canvas.width = Math.round(layout.width * ratio);
  canvas.height = Math.round((layout.height + titleRoom) * ratio);
  const context = canvas.getContext("2d");
  context.fillStyle = look.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(view.find(".base"), 0, titleRoom * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  write(context, look, view.header.title, 8, 20, { size: 13, colour: look.text, bold: true });
  return canvas;
}

function savePicture(view) {
  const { query, key } = view.fixed;
  const part = { query: view.part.query, key: view.part.key, span: view.part.span };
  const state = { ...view.header.state, address: window.location.href, cell: [query, key], part };
  const ascii = JSON.stringify(state).replace(/[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  picture(view).toBlob(async (blob) => {
    const png = new Uint8Array(await blob.arrayBuffer());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(withText(png, "alibi-viz", ascii));
    link.download = `${view.header.file}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
