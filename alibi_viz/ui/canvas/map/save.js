// The picture as it is on the screen, as a PNG file with the page's state in it.

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
  picture(view).toBlob(async (blob) => {
    const png = new Uint8Array(await blob.arrayBuffer());
    saveBlob(withChunks(png, textChunk("alibi-viz", asciiJson(state))), `${view.header.file}.png`);
  });
}
