// Fetches and reads a file of a frame away from the page, so that it stays smooth.
import { loopsOf, parsePly, separateBubbles } from "./ply.js";
import { parseVti } from "./vti.js";

async function load({ url, kind }) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  if (kind === "field") {
    const field = parseVti(await response.text());
    return [field, Object.values(field.arrays).map((a) => a.values.buffer)];
  }
  const mesh = parsePly(await response.arrayBuffer());
  if (kind === "surface" && mesh.triangles) Object.assign(mesh, separateBubbles(mesh.positions, mesh.triangles));
  if (mesh.segments) mesh.loops = loopsOf(mesh.count, mesh.segments);
  const buffers = [mesh.positions, mesh.normals, mesh.velocities, mesh.ids, mesh.triangles, mesh.segments];
  return [mesh, buffers.filter(Boolean).map((array) => array.buffer)];
}

self.onmessage = async ({ data }) => {
  try {
    const [result, buffers] = await load(data);
    self.postMessage({ id: data.id, result }, buffers);
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error.message ?? error) });
  }
};
