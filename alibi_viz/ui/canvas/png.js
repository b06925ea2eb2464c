// What a PNG file can say of itself: chunks after its header.

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

function pngChunk(body) {
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return chunk;
}

// A tEXt chunk: keyword, a zero, text in Latin-1; JSON escapes everything beyond ASCII.
function textChunk(keyword, text) {
  return pngChunk(new TextEncoder().encode(`tEXt${keyword}\0${text}`));
}

// A pHYs chunk: pixels per metre across and down, so that a program knows the size on paper.
function sizeChunk(dotsPerInch) {
  const body = new Uint8Array(13);
  body.set(new TextEncoder().encode("pHYs"));
  const view = new DataView(body.buffer);
  const perMetre = Math.round(dotsPerInch / 0.0254);
  view.setUint32(4, perMetre);
  view.setUint32(8, perMetre);
  view.setUint8(12, 1);
  return pngChunk(body);
}

// After the signature and the header, which are 33 bytes in every PNG.
function withChunks(png, ...chunks) {
  return new Blob([png.slice(0, 33), ...chunks, png.slice(33)], { type: "image/png" });
}

function asciiJson(state) {
  return JSON.stringify(state).replace(/[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
