// The view of a 2D run: outline or particles or a field, solids, bubbles; moved by dragging, scaled by wheel.
import { bodyColor, bubbleColor, isDark, signedColor, speedColor, theme } from "./colors.js";

export class Stage2D {
  constructor(canvas, onMove) {
    this.canvas = canvas;
    this.size = [1, 1];
    this.solids = [];
    this.content = {};
    this.layers = { bubbles: true, solids: true, grid: true };
    this.zoom = 1;
    this.center = null;
    this.moved = onMove;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      this.center[0] -= event.movementX / this.scale();
      this.center[1] += event.movementY / this.scale();
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const before = this.unproject(event.offsetX, event.offsetY);
      this.zoom = Math.max(0.5, Math.min(60, this.zoom * Math.exp(-0.0015 * event.deltaY)));
      const after = this.unproject(event.offsetX, event.offsetY);
      this.center[0] += before[0] - after[0];
      this.center[1] += before[1] - after[1];
      this.draw();
    }, { passive: false });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  setScene(scene) {
    const same = this.center && this.size[0] === scene.grid.size[0] && this.size[1] === scene.grid.size[1];
    this.size = scene.grid.size.slice(0, 2);
    if (!same) this.resetView();
  }
  setSolids(solids) {
    this.solids = solids;
  }
  resetView() {
    this.zoom = 1;
    this.center = [this.size[0] / 2, this.size[1] / 2];
    this.draw();
  }
  scale() {
    const w = this.canvas.clientWidth - 56, h = this.canvas.clientHeight - 56;
    return this.zoom * Math.max(1, Math.min(w / this.size[0], h / this.size[1]));
  }
  project([x, y]) {
    const s = this.scale();
    return [this.canvas.clientWidth / 2 + (x - this.center[0]) * s, this.canvas.clientHeight / 2 - (y - this.center[1]) * s];
  }
  // How large a length at that place is on the screen.
  pixels(length) {
    return length * this.scale();
  }
  unproject(px, py) {
    const s = this.scale();
    return [this.center[0] + (px - this.canvas.clientWidth / 2) / s, this.center[1] - (py - this.canvas.clientHeight / 2) / s];
  }
  show(content) {
    this.content = content;
    this.draw();
  }

  path(mesh, place = (p) => p) {
    const path = new Path2D();
    for (const loop of mesh.loops ?? []) {
      loop.forEach((v, n) => {
        const [x, y] = this.project(place([mesh.positions[3 * v], mesh.positions[3 * v + 1]]));
        if (n) path.lineTo(x, y);
        else path.moveTo(x, y);
      });
      path.closePath();
    }
    return path;
  }

  draw() {
    const { canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (!width || !height || !this.center) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const g = canvas.getContext("2d"), color = theme(), dark = isDark();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const [x0, y1] = this.project([0, 0]), [x1, y0] = this.project(this.size);
    g.fillStyle = dark ? "#10191f" : "#ffffff";
    g.fillRect(x0, y0, x1 - x0, y1 - y0);
    const { surface, particles, field, bubbles = [], bodies = {} } = this.content;
    if (field) this.drawField(g, field, [x0, y0, x1 - x0, y1 - y0]);
    if (surface && !field) {
      const path = this.path(surface), fill = g.createLinearGradient(0, y0, 0, y1);
      fill.addColorStop(0, dark ? "#1f86a8" : "#8fd0e4");
      fill.addColorStop(1, dark ? "#0e4a66" : "#2f8fb3");
      g.fillStyle = fill;
      g.globalAlpha = particles ? 0.25 : 1;
      g.fill(path, "evenodd");
      g.globalAlpha = 1;
    }
    if (this.layers.bubbles) for (const b of bubbles) this.drawBubble(g, b);
    if (particles) this.drawParticles(particles);
    if (surface) {
      g.strokeStyle = dark ? "#9be3f7" : "#0a5f7d";
      g.lineWidth = 1.4;
      g.lineJoin = "round";
      g.stroke(this.path(surface));
    }
    if (this.layers.solids)
      for (const [n, solid] of this.solids.entries()) {
        const pose = bodies[solid.name], turn = pose ? 2 * Math.atan2(pose.quaternion[3], pose.quaternion[0]) : 0;
        const c = Math.cos(turn), s = Math.sin(turn);
        const path = this.path(solid.mesh, pose ? ([x, y]) => [pose.position[0] + c * x - s * y, pose.position[1] + s * x + c * y] : undefined);
        g.fillStyle = solid.look === "glass" ? (dark ? "#9fc4d255" : "#7fa8b855") : pose ? bodyColor(n) : dark ? "#51626c" : "#aab7bd";
        g.strokeStyle = dark ? "#d8e6ec66" : "#3b4d5666";
        g.fill(path, "evenodd");
        g.stroke(path);
      }
    if (this.layers.grid) {
      g.strokeStyle = color("faint");
      g.lineWidth = 1;
      g.strokeRect(x0 - 0.5, y0 - 0.5, x1 - x0 + 1, y1 - y0 + 1);
    }
    this.moved?.();
  }

  // The bubble's own outline, found in the surface: the loop around air whose middle is nearest to it.
  drawBubble(g, bubble) {
    const { surface } = this.content;
    if (!surface?.loops) return;
    const loop = this.loopOf(surface, bubble);
    if (!loop) return;
    g.beginPath();
    loop.forEach((v, n) => {
      const [x, y] = this.project([surface.positions[3 * v], surface.positions[3 * v + 1]]);
      if (n) g.lineTo(x, y);
      else g.moveTo(x, y);
    });
    g.closePath();
    g.fillStyle = bubbleColor(bubble.id);
    g.globalAlpha = bubble.lit ? 0.6 : 0.25;
    g.fill();
    g.globalAlpha = 1;
  }

  loopOf(surface, bubble) {
    if (!surface.measures)
      surface.measures = surface.loops.map((loop) => {
        let area = 0, mx = 0, my = 0;
        for (let n = 0; n < loop.length; ++n) {
          const a = loop[n], b = loop[(n + 1) % loop.length], p = surface.positions;
          const cross = p[3 * a] * p[3 * b + 1] - p[3 * b] * p[3 * a + 1];
          area += cross / 2;
          mx += ((p[3 * a] + p[3 * b]) * cross) / 6;
          my += ((p[3 * a + 1] + p[3 * b + 1]) * cross) / 6;
        }
        return { area, center: [mx / area, my / area] };
      });
    // Liquid has the sign of the largest loop.
    const most = surface.measures.reduce((m, l) => (Math.abs(l.area) > Math.abs(m) ? l.area : m), 0);
    let best = null, nearest = 0.5 * Math.sqrt(bubble.volume);
    surface.measures.forEach(({ area, center }, n) => {
      if (area * most > 0) return;
      const distance = Math.hypot(center[0] - bubble.center[0], center[1] - bubble.center[1]);
      if (distance < nearest) (nearest = distance), (best = surface.loops[n]);
    });
    return best;
  }

  // Straight into the pixels: there may be many.
  drawParticles({ count, positions, velocities }) {
    const { canvas } = this, g = canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const image = g.getImageData(0, 0, canvas.width, canvas.height), data = image.data, w = canvas.width, h = canvas.height;
    const top = this.content.topSpeed || 1, rgb = new Float32Array(3);
    const side = Math.max(1, Math.min(15, Math.round(ratio * this.scale() * this.content.spacing * 0.66)));
    const round = [];  // pixels of a disc
    for (let y = 0; y < side; ++y)
      for (let x = 0; x < side; ++x) if (side < 4 || Math.hypot(x - (side - 1) / 2, y - (side - 1) / 2) <= side / 2) round.push([x, y]);
    for (let n = 0; n < count; ++n) {
      const [px, py] = this.project([positions[3 * n], positions[3 * n + 1]]);
      const speed = velocities ? Math.hypot(velocities[3 * n], velocities[3 * n + 1]) : 0;
      speedColor(speed / top, rgb, 0);
      const x0 = Math.round(px * ratio - side / 2), y0 = Math.round(py * ratio - side / 2);
      for (const [dx, dy] of round) {
        const x = x0 + dx, y = y0 + dy;
        if (x < 0 || y < 0 || x >= w || y >= h) continue;
        const at = 4 * (y * w + x);
        (data[at] = rgb[0]), (data[at + 1] = rgb[1]), (data[at + 2] = rgb[2]), (data[at + 3] = 255);
      }
    }
    g.putImageData(image, 0, 0);
  }

  drawField(g, { cells, values, signed, top }, [x, y, w, h]) {
    const image = new ImageData(cells[0], cells[1]), rgb = new Float32Array(3);
    for (let j = 0; j < cells[1]; ++j)
      for (let i = 0; i < cells[0]; ++i) {
        const value = values[j * cells[0] + i] / top;
        if (signed) signedColor(value, rgb, 0);
        else speedColor(value, rgb, 0);
        const at = 4 * ((cells[1] - 1 - j) * cells[0] + i);
        (image.data[at] = rgb[0]), (image.data[at + 1] = rgb[1]), (image.data[at + 2] = rgb[2]), (image.data[at + 3] = 255);
      }
    const buffer = new OffscreenCanvas(cells[0], cells[1]);
    buffer.getContext("2d").putImageData(image, 0, 0);
    g.imageSmoothingEnabled = this.zoom < 6;
    g.drawImage(buffer, x, y, w, h);
  }
}
