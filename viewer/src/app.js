// The page: what is shown is the run, a frame and a mode; everything else follows from them.
import { bubbleColor, signedGradient, speedGradient } from "./colors.js";
import { Frames } from "./frames.js";
import { Plots } from "./plots.js";
import { Run } from "./run.js";
import { Stage2D } from "./stage2d.js";
import { Stage3D } from "./stage3d.js";
import { count, duration, pressure, short, volume } from "./text.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

// kind, extension: of the files; what the worker makes of them.
const modes = {
  surface: { label: "Surface", kind: "surface", extension: "ply", reads: "surface" },
  particles: { label: "Particles", kind: "particles", extension: "ply", reads: "points" },
  field: { label: "Field", kind: "volume", extension: "vti", reads: "field" },
  picture: { label: "Picture", kind: "preview", extension: "png", reads: "picture" },
};

class App {
  constructor() {
    this.run = new Run();
    this.frames = new Frames();
    this.frame = 0;
    this.mode = null;
    this.live = null;  // null: not decided yet
    this.playing = false;
    this.speed = 1;
    this.lit = null;  // id of the bubble that is pointed at
    this.topSpeed = 0;
    this.timeline = new Timeline(this.run, {
      seek: (frame) => this.seek(frame),
      url: (frame) => {
        const there = this.run.nearest("preview", "png", frame);
        return there < 0 ? null : this.run.url("preview", "png", there);
      },
    });
    this.plots = new Plots($("plots"), this.run, (time) => this.seek(Math.round(time * this.run.fps)));
    this.run.addEventListener("fresh", () => this.begin());
    this.run.addEventListener("change", () => this.update());
    this.listen();
    this.run.start();
  }

  get smoky() {
    const { smoke } = this.run.scene ?? {};
    return Boolean(smoke?.body || smoke?.source);
  }
  get flat() {
    return this.run.scene?.grid?.dimension === 2;
  }

  // A run, or the same one started or resumed anew.
  begin() {
    const { scene } = this.run;
    this.frames.forget();
    document.title = `${scene.title || "Untitled"} – Glug`;
    $("title").textContent = scene.title || "Untitled";
    if (!this.stage || this.stageFlat !== this.flat) {
      this.stageFlat = this.flat;
      this.stage = this.flat ? new Stage2D($("flat-view"), () => this.placeLabels()) : this.make3D();
    }
    this.stage?.setScene(scene);
    this.solidsRead = null;
    this.topSpeed = 0;
  }

  make3D() {
    try {
      return new Stage3D($("solid-view"), () => this.placeLabels());
    } catch (error) {
      this.noWebGL = true;
      console.warn(error);
      return null;
    }
  }

  async readSolids() {
    const names = this.run.files.solids.filter((n) => n.endsWith(".ply"));
    const key = names.join() + this.run.files.written;
    if (!this.stage || this.solidsRead === key) return;
    this.solidsRead = key;
    const described = [...(this.run.scene.solid ?? []), ...(this.run.scene.rigid ?? [])];
    // What their files are called is not always what the scene calls them; runs of earlier versions do not tell.
    const told = this.run.status.solids ?? [];
    const namesOf = told.length === described.length ? told : described.map((s) => s.name);
    const moving = new Set(this.run.bodies.column("body") ?? []);
    const solids = await Promise.all(names.map(async (file) => {
      const name = file.slice(0, -4);
      const mesh = await this.frames.get(`files/solids/${encodeURIComponent(file)}?${this.run.files.written}`, "solid");
      return { name, mesh, look: described[namesOf.indexOf(name)]?.look ?? "matte", moves: moving.has(name) };
    }));
    this.stage.setSolids(solids);
    this.show();
  }

  update() {
    const { run } = this, { status } = run;
    const state = !run.reached ? "failed" : status.stopping ? "stopping" : status.state;
    const words = { killed: "ended early", interrupted: "stopped", "": "unknown" };
    $("state").dataset.state = state;
    $("state").textContent = !run.reached ? "glug view has ended" : words[state] ?? state;
    $("message").textContent = $("message").title = status.message ?? "";
    $("stop").hidden = !(run.going && !status.stopping);
    $("resume").hidden = !["interrupted", "killed", "failed"].includes(status.state) || !run.reached;
    if (!run.scene) return;
    this.listModes();
    if (this.live === null) this.live = run.going;
    const last = run.lastFrame();
    if (this.live && !this.playing) this.frame = last;
    if (!this.started) (this.started = true), (this.frame = run.going ? last : 0);
    this.readSolids();
    this.plots.update();
    this.show();
  }

  listModes() {
    const there = Object.keys(modes).filter((m) => {
      if (m === "field" && !this.flat) return false;
      if (m !== "picture" && this.noWebGL) return false;
      return this.run.ranges(modes[m].kind, modes[m].extension).length > 0;
    });
    if (!there.includes(this.mode)) this.mode = there[0] ?? null;
    const key = there.join();
    if (key !== this.modesShown) {
      this.modesShown = key;
      $("modes").replaceChildren(...there.map((m) => this.button(modes[m].label, `Key ${Object.keys(modes).indexOf(m) + 1}`, () => this.setMode(m), m)));
      $("layers").replaceChildren(
        ...[["bubbles", "Bubbles", "B"], ["solids", "Solids", "S"], ["grid", "Grid", "G"]].map(([layer, label, key_]) =>
          this.button(label, `Key ${key_}`, () => this.toggleLayer(layer), layer)));
    }
    const drawn = this.mode && this.mode !== "picture";
    for (const b of $("modes").children) b.setAttribute("aria-pressed", b.dataset.name === this.mode);
    for (const b of $("layers").children) b.setAttribute("aria-pressed", Boolean(this.stage?.layers[b.dataset.name]));
    $("layers").hidden = !drawn;
    $("solid-view").hidden = !drawn || this.flat;
    $("flat-view").hidden = !drawn || !this.flat;
    $("picture").hidden = this.mode !== "picture";
    this.writeHint();
  }

  writeHint() {
    const { files } = this.run;
    let hint = "";
    if (this.noWebGL) hint = "This browser has no WebGL: pictures only.";
    else if (!this.mode) hint = this.run.going ? "Waiting for the first frame …" : "The run wrote no frames that a browser can show.";
    else if (this.mode === "picture" && !files.frames.surface?.ply && !files.frames.particles?.ply)
      hint = `${this.flat ? "Outlines" : "Surfaces to turn about"} need <code>--set output.surface=ply</code> (or <code>output.particles=ply</code>) in the run.`;
    if (this.smoky && this.mode === "picture") hint = "";
    $("hint").hidden = !hint;
    if ($("hint").dataset.text !== hint) ($("hint").dataset.text = hint), ($("hint").innerHTML = hint);
  }

  button(label, title, action, name) {
    const b = document.createElement("button");
    b.textContent = label;
    b.title = title;
    b.dataset.name = name;
    b.addEventListener("click", action);
    return b;
  }

  setMode(mode) {
    if (!this.run.ranges(modes[mode].kind, modes[mode].extension).length || (mode === "field" && !this.flat)) return;
    this.mode = mode;
    this.listModes();
    this.show();
  }
  toggleLayer(layer) {
    if (!this.stage) return;
    this.stage.layers[layer] = !this.stage.layers[layer];
    this.listModes();
    this.show();
  }

  seek(frame) {
    const last = this.run.lastFrame();
    this.frame = Math.max(0, Math.min(last, frame));
    this.live = this.run.going && this.frame === last;
    this.show();
  }

  // Everything that depends on the frame. What is not read yet follows.
  show() {
    const { run, frame } = this;
    if (!run.scene) return;
    const time = frame / run.fps;
    $("frame").textContent = frame;
    $("of").textContent = ` / ${run.frames}`;
    $("time").textContent = `${time.toFixed(2)} s`;
    $("live").setAttribute("aria-pressed", Boolean(this.live));
    $("live").hidden = !run.going;
    const { kind, extension } = modes[this.mode] ?? modes.picture;
    this.timeline.set(frame, run.ranges(kind, extension));
    this.plots.at(time);
    this.writeFigures();
    this.writeBubbles();
    this.shown = this.showFrame();
    return this.shown;
  }

  async showFrame() {
    if (!this.mode) return;
    const { kind, extension, reads } = modes[this.mode];
    const frame = this.run.nearest(kind, extension, this.frame);
    const turn = (this.turn = (this.turn ?? 0) + 1), mode = this.mode;
    let content;
    try {
      content = await this.frames.get(this.run.url(kind, extension, frame), reads);
      this.prefetch(frame);
      if (mode !== "picture" && this.flat && mode !== "surface" && this.run.ranges("surface", "ply").length) {
        const outline = this.run.nearest("surface", "ply", frame);
        if (outline === frame) this.outline = await this.frames.get(this.run.url("surface", "ply", frame), "surface");
        else this.outline = null;
      }
    } catch (error) {
      console.warn(error);
      return;
    }
    if (turn !== this.turn) return;  // overtaken
    this.drawnFrame = frame;
    if (mode === "picture") {
      $("picture").src = content.src;
      $("picture").alt = `Frame ${frame}`;
      $("labels").replaceChildren();
      $("legend").hidden = true;
      return;
    }
    const shown = { bubbles: this.bubbles(), bodies: this.poses(), topSpeed: this.fastest(), spacing: this.spacing() };
    if (mode === "surface") shown.surface = content;
    if (mode === "particles") shown.particles = content;
    if (mode === "field") shown.field = this.fieldOf(content);
    if (this.flat && mode !== "surface") shown.surface = this.outline ?? undefined;
    this.writeLegend(shown);
    this.stage.show(shown);
    this.placeLabels();
  }

  prefetch(frame) {
    const { kind, extension, reads } = modes[this.mode];
    const ahead = this.playing ? 5 : 1;
    for (let n = 1; n <= ahead; ++n)
      if (this.run.nearest(kind, extension, frame + n) === frame + n)
        this.frames.get(this.run.url(kind, extension, frame + n), reads).catch(() => {});
  }

  // What speeds are measured against: what is fastest in half of the substeps, in steps so that colours rest.
  fastest() {
    const speedsOfRun = this.run.stats.column("speed_max") ?? [1];
    const sorted = Float64Array.from(speedsOfRun).sort();
    const top = sorted[Math.floor(0.5 * (sorted.length - 1))] || 1;
    if (top > this.topSpeed || top < 0.4 * this.topSpeed) this.topSpeed = Number(top.toPrecision(2));
    return this.topSpeed;
  }
  // How far particles are apart.
  spacing() {
    const { scene } = this.run, d = scene.grid.dimension;
    const h = Math.max(...scene.grid.size) / scene.grid.resolution;
    return h / Math.pow(scene.liquid?.particles_per_cell || 2 ** d, 1 / d);
  }

  fieldOf({ cells, arrays }) {
    const name = arrays.density ? "density" : arrays.pressure ? "pressure" : Object.keys(arrays)[0];
    let values = arrays[name].values, top = 0;
    const signed = name === "pressure";
    for (const v of values) top = Math.max(top, Math.abs(v));
    return { cells, values, signed, top: top || 1, name };
  }

  writeLegend({ particles, field, topSpeed }) {
    const shown = particles || field;
    $("legend").hidden = !shown;
    if (!shown) return;
    const [name, low, high, gradient] = field
      ? [field.name, field.signed ? short(-field.top) : "0", short(field.top), field.signed ? signedGradient() : speedGradient]
      : ["speed, m/s", "0", short(topSpeed), speedGradient];
    $("legend").innerHTML = `<span>${name}${field?.signed ? ", Pa" : ""}</span><i></i><div><span>${low}</span><span>${high}</span></div>`;
    $("legend").querySelector("i").style.background = gradient;
  }

  bubbles() {
    const { run } = this, table = run.bubbles;
    return run.bubblesAt.at(this.frame).map((row) => {
      const v = (name) => table.value(row, name);
      return { id: v("bubble"), volume: v("volume"), rest: v("rest_volume"), center: [v("center_x"), v("center_y"), v("center_z")],
        rise: v("velocity_y"), pressure: v("pressure"), ambient: v("ambient") === 1, lit: v("bubble") === this.lit };
    }).sort((a, b) => a.ambient - b.ambient || b.volume - a.volume);
  }

  poses() {
    const { run } = this, table = run.bodies, poses = {};
    const zUp = run.scene.output?.up_axis === "z"; // then the table is turned; meshes are turned back when read
    const turned = ([x, y, z]) => (zUp ? [x, z, -y] : [x, y, z]);
    for (const row of run.bodiesAt.at(this.frame)) {
      const v = (name) => table.value(row, name);
      poses[v("body")] = { position: turned([v("x"), v("y"), v("z")]), quaternion: [v("qw"), ...turned([v("qx"), v("qy"), v("qz")])] };
    }
    return poses;
  }

  writeFigures() {
    const { run } = this, { stats } = run;
    let row = null;
    for (let low = 0, high = stats.rows.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (stats.value(stats.rows[middle], "frame") <= this.frame) (row = stats.rows[middle]), (low = middle + 1);
      else high = middle;
    }
    const v = (name) => stats.value(row, name);
    const d = run.scene.grid.dimension, first = stats.rows[0], start = stats.value(first, "liquid_volume");
    const kept = v("liquid_volume") + (v("spray_volume") ?? 0) - (v("inflow_volume") ?? 0) + (v("outflow_volume") ?? 0);
    const off = (100 * kept) / (start + (stats.value(first, "spray_volume") ?? 0)) - 100;
    const cells = [
      [count(v("particles")), "particles"], [volume(v("liquid_volume"), d), "liquid"], [Number.isFinite(off) ? `${off >= 0 ? "+" : ""}${off.toFixed(2)}%` : "–", "volume off"],
      [`${short(v("speed_max"))} m/s`, "fastest"], [v("iterations") ?? "–", "iterations"], [duration(run.status.seconds), `by ${run.status.threads ?? "–"} ${run.status.threads === 1 ? "thread" : "threads"}`],
    ];
    if (this.smoky) cells.splice(1, 2, [volume(v("smoke"), d), "smoke"], [`${short(v("divergence_max"), 2)} m/s`, "divergence"]);
    $("figures").innerHTML = cells.map(([value, name]) => `<div><b>${value}</b><span>${name}</span></div>`).join("");
  }

  writeBubbles() {
    const d = this.run.scene.grid.dimension, list = this.bubbles();
    $("bubble-card").hidden = !this.run.bubbles.columns;
    const closed = list.filter((b) => !b.ambient);
    $("bubble-count").textContent = closed.length ? closed.length : "none in this frame";
    const body = $("bubbles").tBodies[0];
    body.innerHTML = list.slice(0, 200).map((b) => {
      const off = b.rest > 0 ? 100 * (b.volume / b.rest - 1) : NaN;
      return b.ambient
        ? `<tr data-id="${b.id}"><td><i style="border:1.5px solid var(--faint)"></i></td><td>${b.id}</td><td>${volume(b.volume, d)}</td><td colspan="3" class="muted">open air</td></tr>`
        : `<tr data-id="${b.id}"${b.lit ? ' class="lit"' : ""}><td><i style="background:${bubbleColor(b.id)}"></i></td><td>${b.id}</td><td>${volume(b.volume, d)}</td>` +
          `<td${Math.abs(off) > 2 ? ' class="off"' : ""}>${Number.isFinite(off) ? `${off >= 0 ? "+" : ""}${off.toFixed(1)}%` : "–"}</td><td>${pressure(b.pressure)}</td><td>${Number.isFinite(b.rise) ? b.rise.toFixed(2).replace("-0.00", "0.00") : "–"} m/s</td></tr>`;
    }).join("");
  }

  placeLabels() {
    const box = $("labels");
    if (!this.stage?.layers.bubbles || this.mode === "picture" || !this.mode) return box.replaceChildren();
    // Names of those that are large enough to be seen; above the small ones, so that these are not hidden.
    const d = this.run.scene.grid.dimension;
    const reach = (b) => this.stage.pixels(d === 3 ? Math.cbrt((3 * b.volume) / (4 * Math.PI)) : Math.sqrt(b.volume / Math.PI), b.center);
    const closed = this.bubbles().filter((b) => !b.ambient && (b.lit || reach(b) > 6)).slice(0, 12);
    while (box.children.length > closed.length) box.lastChild.remove();
    while (box.children.length < closed.length) box.append(document.createElement("span"));
    closed.forEach((b, n) => {
      const label = box.children[n], at = this.stage.project(b.center);
      label.hidden = !at;
      if (!at) return;
      label.style.left = `${at[0]}px`;
      label.style.top = `${at[1] - (reach(b) > 40 ? 0 : reach(b) + 14)}px`;
      label.style.color = bubbleColor(b.id);
      label.className = b.lit ? "lit" : "";
      label.textContent = volume(b.volume, d);
    });
  }

  light(id) {
    if (id === this.lit) return;
    this.lit = id;
    for (const row of $("bubbles").tBodies[0].rows) row.classList.toggle("lit", Number(row.dataset.id) === id);
    this.showFrame();
  }

  play(on = !this.playing) {
    const { run } = this;
    this.playing = on;
    document.body.classList.toggle("playing", on);
    if (!on) return;
    if (this.frame >= run.lastFrame()) this.frame = 0;
    this.live = false;
    let due = performance.now();
    const tick = async () => {
      if (!this.playing) return;
      const now = performance.now();
      if (now >= due) {
        if (this.frame >= run.lastFrame()) {
          if (!run.going) return this.play(false);
        } else {
          // A slow machine leaves frames out rather than time.
          const behind = Math.min(4, Math.floor(((now - due) * run.fps * this.speed) / 1000));
          this.frame = Math.min(run.lastFrame(), this.frame + 1 + behind);
          await this.show();
        }
        due = Math.max(due + 1000 / (run.fps * this.speed), performance.now() - 200);
      }
      requestAnimationFrame(tick);
    };
    tick();
  }
  setSpeed(by) {
    const n = (speeds.indexOf(this.speed) + by + speeds.length) % speeds.length;
    this.speed = speeds[n];
    $("speed").textContent = `${this.speed}×`;
  }

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    this.plots?.draw();
    this.timeline?.draw();
    this.stage?.setTheme?.();
    if (this.run.scene) this.update();
  }

  async ask(what) {
    try {
      await this.run.ask(what);
    } catch (error) {
      $("message").textContent = error.message;
    }
  }

  listen() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    let chosen = null;
    try {
      chosen = localStorage.getItem("theme");
    } catch {}
    this.setTheme(chosen ?? (dark.matches ? "dark" : "light"));
    dark.addEventListener("change", () => chosen ?? this.setTheme(dark.matches ? "dark" : "light"));
    const swap = () => {
      chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem("theme", chosen);
      } catch {}
      this.setTheme(chosen);
    };
    const help = () => ($("keys").open ? $("keys").close() : $("keys").showModal());
    const follow = () => {
      this.play(false);
      this.live = true;
      this.frame = this.run.lastFrame();
      this.show();
    };
    $("theme").onclick = swap;
    $("help").onclick = help;
    $("play").onclick = () => this.play();
    $("speed").onclick = () => this.setSpeed(1);
    $("live").onclick = follow;
    $("stop").onclick = () => this.ask("stop");
    $("resume").onclick = () => ((this.live = null), this.ask("resume"));
    const body = $("bubbles").tBodies[0];
    body.onpointerover = (event) => this.light(Number(event.target.closest("tr")?.dataset.id));
    body.onpointerleave = () => this.light(null);
    const keys = {
      " ": () => this.play(), Home: () => this.seek(0), End: () => this.seek(this.run.lastFrame()),
      ",": () => this.setSpeed(-1), ".": () => this.setSpeed(1), l: follow, t: swap, "?": help,
      1: () => this.setMode("surface"), 2: () => this.setMode("particles"), 3: () => this.setMode("field"), 4: () => this.setMode("picture"),
      b: () => this.toggleLayer("bubbles"), s: () => this.toggleLayer("solids"), g: () => this.toggleLayer("grid"), r: () => this.stage?.resetView(),
    };
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
      const step = event.shiftKey ? 10 : 1;
      const action = { ArrowLeft: () => this.seek(this.frame - step), ArrowRight: () => this.seek(this.frame + step) }[event.key] ?? keys[event.key] ?? keys[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      if (event.key.startsWith("Arrow")) this.play(false);
      action();
    });
  }
}

window.glug = new App();
