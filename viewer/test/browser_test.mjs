// The page of `glug view` in a real browser without a window: a run is watched while it goes on, stopped and
// resumed, scrubbed, plotted, in 2D and 3D, dark and light. Needs chromium, and npm for what package.json names;
// says what is missing and ends with 77 where they are not there. GLUG_SHOTS=DIR keeps what was seen.
//   node test/browser_test.mjs PROGRAM
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const program = resolve(process.argv[2] ?? join(here, "../../build/release/glug"));

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
const chromium_program = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim()).find(Boolean);
if (!chromium_program) skip("no chromium on this machine (apt-get install chromium)");
const driver = join(here, "../node_modules/playwright-core/index.mjs");
if (!existsSync(driver)) {
  console.log("npm ci, once");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: join(here, ".."), encoding: "utf8", timeout: 240000 });
  if (!existsSync(driver)) skip(npm.error ? "no npm on this machine" : `npm ci in viewer/ failed: ${npm.stderr.trim().split("\n")[0]}`);
}
const { chromium } = await import(pathToFileURL(driver).href);

const folder = mkdtempSync(join(tmpdir(), "glug_browser."));
const page_folder = join(folder, "page");
const environment = { ...process.env, GLUG_VIEWER: page_folder, OMP_NUM_THREADS: "1", OMP_WAIT_POLICY: "passive" };
const children = [];
const shots = process.env.GLUG_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

function glug(...words) {
  const child = spawn(program, words, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  child.said = "";
  child.stdout.on("data", (text) => (child.said += text));
  child.stderr.on("data", (text) => (child.said += text));
  child.ended = new Promise((resolve) => child.on("exit", (status) => resolve((child.status = status))));
  return child;
}
async function until(what, test, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
    const value = await test();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`waited in vain: ${what}`);
}
async function view(run) {
  const server = glug("view", run, "--port", "0");
  const url = await until(`a page of ${run}`, () => /http:\/\/\S+/.exec(server.said)?.[0] ?? (server.status !== undefined && assert.fail(server.said)));
  return { server, url };
}
const table = (run, name) => {
  const [head, ...rows] = readFileSync(join(folder, run, name), "utf8").trim().split("\n").map((line) => line.split(","));
  return (column) => rows.map((row) => Number(row[head.indexOf(column)]));
};

const flat = (frames, resolution) => `
title = "Cup in a tank"
[grid]
dimension = 2
size = [0.6, 0.5]
resolution = ${resolution}
[time]
frames = ${frames}
[air]
model = "constraint"
[output]
surface = "ply"
particles = "ply"
volume = "vti"
preview_width = 120
preview_height = 100
checkpoint_every = 5
[[liquid.body]]
shape = { type = "difference", of = [ { type = "box", min = [0, 0], max = [0.6, 0.32] }, { type = "sphere", center = [0.17, 0.11], radius = 0.07 } ] }
[[solid]]
name = "float"
shape = { type = "box", min = [-0.05, -0.03], max = [0.05, 0.03] }
motion = { keys = [ { time = 0, position = [0.45, 0.3], rotation = 0 }, { time = 2, position = [0.45, 0.2], rotation = 60 } ] }
`;
const solid = `
title = "Bubble and glass"
[grid]
dimension = 3
size = [0.4, 0.4, 0.4]
resolution = 24
[time]
frames = 3
[air]
model = "constraint"
[output]
surface = "ply"
particles = "ply"
preview = "off"
first_frame = 1001
[[liquid.body]]
shape = { type = "difference", of = [ { type = "box", min = [0, 0, 0], max = [0.4, 0.28, 0.4] }, { type = "sphere", center = [0.2, 0.12, 0.2], radius = 0.08 } ] }
[[solid]]
name = "pane"
look = "glass"
shape = { type = "box", min = [0.05, 0.05, 0.31], max = [0.35, 0.36, 0.34] }
`;

const tests = [];
const test = (name, body) => tests.push([name, body]);
let browser, flat_view, page;
const errors = [];

async function open(url, size = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ viewport: size, colorScheme: "light", reducedMotion: "reduce" });
  const opened = await context.newPage();
  opened.setDefaultTimeout(120000);  // no GPU, and maybe a busy machine
  opened.on("pageerror", (error) => errors.push(String(error)));
  opened.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await opened.goto(url);
  await opened.waitForFunction(() => window.glug?.run.scene && window.glug.run.stats.rows.length > 0);
  return opened;
}
const shot = async (opened, name) => shots && opened.screenshot({ path: join(shots, `${name}.png`) });
const state = (opened) => opened.textContent("#state");
const frame = (opened) => opened.evaluate(() => window.glug.frame);
const settled = (opened) => opened.evaluate(async () => {
  await window.glug.shown;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
});

test("a run is followed while it goes on", async () => {
  writeFileSync(join(folder, "flat.toml"), flat(600, 48));
  glug("run", "flat.toml", "--out", "flat", "--threads", "1");
  await until("the first frame", () => existsSync(join(folder, "flat/surface/surface.0001.ply")));
  flat_view = await view("flat");
  page = await open(flat_view.url);
  await until("the title", async () => (await page.textContent("#title")) === "Cup in a tank");
  await until("the run's state", async () => /running/.test(await state(page)));
  const standing = () => page.evaluate(() => [window.glug.frame, window.glug.run.stats.rows.length]);
  const [first, rows] = await standing();
  await until("a later frame, by itself", async () => (await frame(page)) > first + 2);
  // Frames are written beside the simulation: the table may have been ahead of them.
  await until("later rows, by themselves", async () => (await standing())[1] > rows);
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "true");
  await shot(page, "flat_live");
});

test("the page stops the run, and lets it go on", async () => {
  await page.click("#stop");
  await until("the run to stop", async () => /^stopped$/.test(await state(page)));
  assert.equal(JSON.parse(readFileSync(join(folder, "flat/run.json"))).state, "interrupted");
  assert.ok(!existsSync(join(folder, "flat/stop")));
  const last = await page.evaluate(() => window.glug.run.lastFrame());
  await page.click("#resume");
  await until("the run to go on", async () => (await state(page)) === "running" && (await page.evaluate(() => window.glug.run.lastFrame())) > last);
  await page.click("#stop");
  await until("the run to stop again", async () => /^stopped$/.test(await state(page)));
});

test("scrubbing shows the frame under the hand", async () => {
  const last = await page.evaluate(() => window.glug.run.lastFrame()), total = await page.evaluate(() => window.glug.run.frames);
  const box = await page.locator("#track").boundingBox();
  const at = (n) => [box.x + 8 + ((box.width - 16) * n) / total, box.y + box.height / 2 - 3];
  const target = Math.floor(last / 2);
  await page.mouse.move(...at(0));
  await page.mouse.down();
  await page.mouse.move(...at(target), { steps: 4 });
  await page.mouse.up();
  assert.equal(await frame(page), target);
  await settled(page);
  assert.equal(await page.evaluate(() => window.glug.drawnFrame), target);
  assert.equal(await page.textContent("#frame"), String(target));
  assert.equal(await page.getAttribute("#track", "aria-valuenow"), String(target));
  await shot(page, "flat_light");
});

test("keys step, jump, change the view and the theme", async () => {
  const at = await frame(page);
  await page.keyboard.press("ArrowRight");
  assert.equal(await frame(page), at + 1);
  await page.keyboard.press("Home");
  assert.equal(await frame(page), 0);
  await page.keyboard.press("End");
  assert.equal(await frame(page), await page.evaluate(() => window.glug.run.lastFrame()));
  for (const [key, mode] of [["2", "particles"], ["3", "field"], ["4", "picture"], ["1", "surface"]]) {
    await page.keyboard.press(key);
    await settled(page);
    assert.equal(await page.evaluate(() => window.glug.mode), mode);
    if (mode === "picture") assert.ok(await page.evaluate(() => document.getElementById("picture").naturalWidth === 120));
    await shot(page, `flat_${mode}`);
  }
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  await settled(page);
  await shot(page, "flat_dark");
  await page.keyboard.press("?");
  assert.ok(await page.evaluate(() => document.getElementById("keys").open));
  await shot(page, "keys");
  await page.keyboard.press("Escape");
});

test("plots hold what stats.csv says, where it says", async () => {
  await page.evaluate(() => window.glug.run.update());
  const stats = table("flat", "stats.csv");
  const drawn = await page.evaluate(() => Object.fromEntries(["energy", "volume", "iterations", "stages"].map((name) => [name, window.glug.plots[name].model])));
  const same = (got, wanted, what) => {
    assert.equal(got.length, wanted.length, what);
    got.forEach((v, n) => assert.ok(Math.abs(v - wanted[n]) <= 1e-12 * Math.max(1, Math.abs(wanted[n])), `${what} ${n}: ${v}, ${wanted[n]}`));
  };
  const series = (plot, name) => drawn[plot].series.find((s) => s.name === name);
  const kinetic = series("energy", "kinetic"), potential = stats("potential_energy");
  same(kinetic.x, stats("time"), "time");
  same(kinetic.y, stats("kinetic_energy"), "kinetic energy");
  same(series("energy", "potential").y, potential.map((v) => v - potential[0]), "potential energy");
  same(series("volume", "liquid").y, stats("liquid_volume"), "volume");
  same(series("iterations", "pressure").y, stats("iterations"), "iterations");
  const frames = stats("frame"), solve = stats("seconds_solve"), by_frame = [];
  frames.forEach((f, n) => (by_frame[f] = (by_frame[f] ?? 0) + solve[n]));
  same(series("stages", "solve").y, by_frame, "seconds of solving");
  // The highest point of the kinetic energy is inked where the axes say it is.
  const peak = kinetic.y.indexOf(Math.max(...kinetic.y));
  const inked = await page.evaluate((n) => {
    const plot = window.glug.plots.energy, { xRange, yRange, area, series: [line] } = plot.model, ratio = devicePixelRatio;
    plot.at(0);
    const x = area.left + ((line.x[n] - xRange[0]) / (xRange[1] - xRange[0])) * area.width;
    const y = area.top + area.height - ((line.y[n] - yRange[0]) / (yRange[1] - yRange[0])) * area.height;
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--plot-1");
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    const spot = plot.canvas.getContext("2d").getImageData(Math.round(x * ratio) - 2, Math.round(y * ratio) - 2, 5, 5).data;
    let best = 1e9;
    for (let p = 0; p < spot.length; p += 4) if (spot[p + 3] > 100) best = Math.min(best, Math.abs(spot[p] - wanted[0]) + Math.abs(spot[p + 1] - wanted[1]) + Math.abs(spot[p + 2] - wanted[2]));
    return best;
  }, peak);
  assert.ok(inked < 60, `no line at the peak of the kinetic energy: colours differ by ${inked}`);
});

test("the list of bubbles is that of bubbles.csv", async () => {
  await page.keyboard.press("Home");
  const bubbles = table("flat", "bubbles.csv");
  const volumes = bubbles("volume").filter((_, n) => bubbles("frame")[n] === 0 && bubbles("ambient")[n] === 0);
  assert.equal(volumes.length, 2, "the bubble, and the closed air above");
  const listed = await page.evaluate(() => window.glug.bubbles().filter((b) => !b.ambient).map((b) => b.volume));
  assert.deepEqual(listed.sort(), volumes.sort());
  assert.equal(await page.locator("#bubbles tbody tr").count(), 2);
});

test("a path outside the run is refused", async () => {
  writeFileSync(join(folder, "secret.csv"), "not yours");
  for (const path of ["files/..%2fsecret.csv", "files/%2e%2e/secret.csv", "files/checkpoint/x"])
    assert.ok((await page.evaluate(async (p) => (await fetch(p)).status, path)) >= 400, path);
  errors.length = 0;  // the browser calls refusals errors
});

test("a 3D surface is drawn, with the bubble in it and the glass before it", async () => {
  writeFileSync(join(folder, "solid.toml"), solid);
  const run = glug("run", "solid.toml", "--out", "solid", "--threads", "1");
  assert.equal(await run.ended, 0, run.said);
  const { url } = await view("solid");
  const opened = await open(url, { width: 1000, height: 700 });
  assert.equal(await state(opened), "finished");
  await until("the picture", async () => (await opened.evaluate(() => window.glug.stage.drawn > 0 && window.glug.stage.solids.length === 1 && Boolean(window.glug.stage.content.surface))));
  await settled(opened);
  const seen = await opened.evaluate(() => ({
    shells: window.glug.stage.shells.children.length, faces: window.glug.stage.content.surface.triangles.length / 3, solids: window.glug.stage.solids.map((s) => s.look) }));
  // Files count from 1001, frames from 0.
  assert.ok(existsSync(join(folder, "solid/surface/surface.1004.ply")));
  await opened.keyboard.press("End");
  await settled(opened);
  assert.deepEqual(await opened.evaluate(() => [window.glug.run.lastFrame(), window.glug.frame, window.glug.drawnFrame, window.glug.bubbles().length > 0]), [3, 3, 3, true]);
  await opened.keyboard.press("Home");
  await settled(opened);
  assert.equal(seen.shells, 1);
  assert.ok(seen.faces > 1000);
  assert.deepEqual(seen.solids, ["glass"]);
  // Blue in the middle of the liquid, none of it above.
  const color = (x, y) => opened.evaluate(([px, py]) => {
    const { stage } = window.glug;
    stage.render();
    const gl = stage.renderer.getContext(), out = new Uint8Array(4);
    gl.readPixels(px, gl.drawingBufferHeight - py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return [...out];
  }, [x, y]);
  const at = async (center) => (await opened.evaluate((c) => window.glug.stage.project(c), center)).map(Math.round);
  await shot(opened, "solid_light");
  const water = await color(...(await at([0.35, 0.2, 0.2]))), air = await color(...(await at([0.2, 0.52, 0.2])));
  assert.ok(water[2] - water[0] > air[2] - air[0] + 25, `water ${water}, air ${air}`);
  await opened.keyboard.press("2");
  await settled(opened);
  assert.ok(await opened.evaluate(() => window.glug.stage.points.visible));
  await shot(opened, "solid_particles");
  await opened.keyboard.press("1");
  await opened.keyboard.press("t");
  await settled(opened);
  await shot(opened, "solid_dark");
});

test("nothing went wrong on the pages", () => assert.deepEqual(errors, []));

let failed = 0;
try {
  const built = spawnSync("node", [join(here, "../build.mjs"), page_folder], { encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
  browser = await chromium.launch({
    executablePath: chromium_program, headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  for (const [name, body] of tests) {
    try {
      await body();
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser?.close();
  for (const child of children) if (child.status === undefined) child.kill("SIGTERM");
  await Promise.all(children.map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed ? `${failed} of ${tests.length} failed` : `all ${tests.length} passed`);
process.exit(failed ? 1 : 0);
