// VTK image data as Glug writes it: cell data, inline base64 with a header of eight bytes.
// parseVti(text) -> { cells: [nx, ny, nz], spacing, arrays: { name: { components, values } } }

function decode(base64) {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length - 8);
  for (let n = 0; n < bytes.length; ++n) bytes[n] = binary.charCodeAt(n + 8);
  return new Float32Array(bytes.buffer);
}

export function parseVti(text) {
  const extent = /WholeExtent="([^"]+)"/.exec(text)[1].split(" ").map(Number);
  const spacing = Number(/Spacing="(\S+)/.exec(text)[1]);
  const arrays = {};
  for (const [, name, components, data] of text.matchAll(
    /<DataArray type="Float32" Name="(\w+)" NumberOfComponents="(\d+)" format="binary">([^<]*)</g))
    arrays[name] = { components: Number(components), values: decode(data) };
  return { cells: [extent[1] - extent[0], extent[3] - extent[2], extent[5] - extent[4]], spacing, arrays };
}
