// Binary PLY files as Glug writes them: vertices with named numbers, triangles or segments.
// parsePly(buffer) -> { count, positions, normals?, velocities?, ids?, triangles?, segments? }, y up.

const sizes = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, double: 8 };
const readers = {
  char: "getInt8", uchar: "getUint8", short: "getInt16", ushort: "getUint16",
  int: "getInt32", uint: "getUint32", float: "getFloat32", double: "getFloat64",
};

function parseHeader(buffer) {
  const text = new TextDecoder("latin1").decode(new Uint8Array(buffer, 0, Math.min(buffer.byteLength, 4096)));
  const end = text.indexOf("end_header\n");
  if (!text.startsWith("ply\n") || end < 0 || !text.includes("format binary_little_endian"))
    throw new Error("not a binary PLY file");
  const elements = [];
  for (const line of text.slice(0, end).split("\n")) {
    const words = line.split(" ");
    if (words[0] === "element") elements.push({ name: words[1], count: Number(words[2]), properties: [], stride: 0 });
    if (words[0] !== "property") continue;
    const element = elements[elements.length - 1];
    if (words[1] === "list") {
      element.list = { count: words[2], item: words[3] };
    } else {
      element.properties.push({ name: words[2], type: words[1], offset: element.stride });
      element.stride += sizes[words[1]];
    }
  }
  return { elements, body: end + "end_header\n".length, zUp: /comment .*\bz up\b/.test(text.slice(0, end)) };
}

function column(view, element, start, name, make) {
  const property = element.properties.find((p) => p.name === name);
  if (!property) return null;
  const out = new make(element.count);
  const read = readers[property.type];
  for (let n = 0, at = start + property.offset; n < element.count; ++n, at += element.stride) out[n] = view[read](at, true);
  return out;
}

function vectors(view, element, start, names, zUp) {
  const parts = names.map((name) => element.properties.find((p) => p.name === name));
  if (parts.some((p) => !p || p.type !== "float")) return null;
  const out = new Float32Array(3 * element.count);
  for (let a = 0; a < 3; ++a)
    for (let n = 0, at = start + parts[a].offset; n < element.count; ++n, at += element.stride) out[3 * n + a] = view.getFloat32(at, true);
  if (zUp)
    for (let n = 0; n < out.length; n += 3) {
      const y = out[n + 1];
      out[n + 1] = out[n + 2];
      out[n + 2] = -y;
    }
  return out;
}

export function parsePly(buffer) {
  const { elements, body, zUp } = parseHeader(buffer);
  const view = new DataView(buffer);
  const mesh = { count: 0 };
  let at = body;
  for (const element of elements) {
    if (element.name === "vertex") {
      mesh.count = element.count;
      mesh.positions = vectors(view, element, at, ["x", "y", "z"], zUp);
      mesh.normals = vectors(view, element, at, ["nx", "ny", "nz"], zUp);
      mesh.velocities = vectors(view, element, at, ["vx", "vy", "vz"], zUp);
      mesh.ids = column(view, element, at, "id", Uint32Array);
    } else if (element.name === "edge") {
      const from = column(view, element, at, "vertex1", Uint32Array), to = column(view, element, at, "vertex2", Uint32Array);
      mesh.segments = new Uint32Array(2 * element.count);
      for (let n = 0; n < element.count; ++n) mesh.segments[2 * n] = from[n], (mesh.segments[2 * n + 1] = to[n]);
    } else if (element.name === "face" && element.list) {
      mesh.triangles = new Uint32Array(3 * element.count);
      let next = at;
      for (let n = 0; n < element.count; ++n, next += 13)
        for (let c = 0; c < 3; ++c) mesh.triangles[3 * n + c] = view.getUint32(next + 1 + 4 * c, true);
      at = next;
      continue;
    }
    at += element.count * element.stride;
  }
  return mesh;
}

// The triangles of a mesh, those that enclose air last: closed parts whose volume is negative are bubbles.
// Returns { triangles, liquid: number of indices before them, bubbles: [{start, count, volume, center}] }.
export function separateBubbles(positions, triangles) {
  const vertices = positions.length / 3, faces = triangles.length / 3;
  const parent = new Uint32Array(vertices);
  for (let n = 0; n < vertices; ++n) parent[n] = n;
  const find = (n) => {
    while (parent[n] !== n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (let f = 0; f < faces; ++f) {
    const a = find(triangles[3 * f]), b = find(triangles[3 * f + 1]), c = find(triangles[3 * f + 2]);
    const least = Math.min(a, b, c);
    parent[a] = parent[b] = parent[c] = least;
  }
  const parts = new Map();
  for (let f = 0; f < faces; ++f) {
    const root = find(triangles[3 * f]);
    let part = parts.get(root);
    if (!part) parts.set(root, (part = { volume: 0, moment: [0, 0, 0], faces: [], origin: 3 * root }));
    const o = part.origin;
    const p = [0, 1, 2].map((c) => [0, 1, 2].map((a) => positions[3 * triangles[3 * f + c] + a] - positions[o + a]));
    const volume =
      (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
        p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
        p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) / 6;
    part.volume += volume;
    for (let a = 0; a < 3; ++a) part.moment[a] += (volume * (p[0][a] + p[1][a] + p[2][a])) / 4;
    part.faces.push(f);
  }
  const out = new Uint32Array(triangles.length);
  let at = 0;
  const put = (part) => {
    for (const f of part.faces) for (let c = 0; c < 3; ++c) out[at++] = triangles[3 * f + c];
  };
  const list = [...parts.values()];
  for (const part of list) if (part.volume >= 0) put(part);
  const liquid = at, bubbles = [];
  for (const part of list) {
    if (part.volume >= 0) continue;
    const start = at;
    put(part);
    const center = part.moment.map((m, a) => m / part.volume + positions[part.origin + a]);
    bubbles.push({ start, count: at - start, volume: -part.volume, center });
  }
  bubbles.sort((a, b) => b.volume - a.volume);
  return { triangles: out, liquid, bubbles };
}

// Closed lines of a 2D surface: lists of vertices that follow each other.
export function loopsOf(count, segments) {
  const next = new Int32Array(count).fill(-1);
  for (let n = 0; n < segments.length; n += 2) next[segments[n]] = segments[n + 1];
  const seen = new Uint8Array(count), loops = [];
  for (let n = 0; n < count; ++n) {
    if (seen[n] || next[n] < 0) continue;
    const loop = [];
    for (let v = n; v >= 0 && !seen[v]; v = next[v]) seen[v] = 1, loop.push(v);
    loops.push(Uint32Array.from(loop));
  }
  return loops;
}
