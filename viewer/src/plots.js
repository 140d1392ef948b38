// The plots of a run, from stats.csv and bubbles.csv.
import { bubbleColor } from "./colors.js";
import { Plot } from "./plot.js";

const plotColor = (n) => `plot-${(n % 8) + 1}`;

export class Plots {
  constructor(parent, run, seek) {
    this.run = run;
    this.energy = new Plot(parent, { title: "Energy", unit: "J, since the start" }, seek);
    this.volume = new Plot(parent, { title: "Volume", unit: "m³", leastSpan: (low, high) => 0.02 * Math.max(Math.abs(low), Math.abs(high)) }, seek);
    this.bubbles = new Plot(parent, { title: "Bubbles", unit: "volume", fromZero: true }, seek);
    this.iterations = new Plot(parent, { title: "Iterations", unit: "of a substep", fromZero: true, leastSpan: () => 5 }, seek);
    this.stages = new Plot(parent, { title: "Time", unit: "s of computing a frame", stacked: true }, seek);
    this.all = [this.energy, this.volume, this.bubbles, this.iterations, this.stages];
  }

  at(time) {
    for (const plot of this.all) plot.at(time);
  }
  draw() {
    for (const plot of this.all) plot.draw();
  }

  update() {
    const { stats, scene } = this.run;
    const end = stats.value(stats.last(), "time") || 1 / this.run.fps;
    const flat = scene?.grid?.dimension === 2;
    this.volume.root.querySelector(".muted").textContent = flat ? "m²" : "m³";
    if (!stats.columns) return;
    const x = stats.column("time");
    const kinetic = stats.column("kinetic_energy"), potential = stats.column("potential_energy");
    const optional = (name) => stats.column(name) ?? x.map(() => 0);
    const bodies = optional("body_energy"), work = optional("solid_work"), surface = optional("surface_energy");
    const total = x.map((_, n) => kinetic[n] + potential[n] + bodies[n] + surface[n] - work[n]);
    const change = (y) => y.map((v) => v - y[0]);
    this.energy.set([
      { name: "kinetic", color: "plot-1", x, y: kinetic },
      { name: "potential", color: "plot-2", x, y: change(potential) },
      { name: "in all, less work of solids", color: "plot-3", x, y: change(total) },
    ], end);
    const liquid = stats.column("liquid_volume"), spray = optional("spray_volume");
    const smoke = stats.column("smoke");
    this.volume.set(
      smoke?.some((v) => v > 0)
        ? [{ name: "smoke", color: "plot-1", x, y: smoke }]
        : [
            { name: "liquid", color: "plot-1", x, y: liquid },
            { name: "with spray", color: "plot-4", x, y: liquid.map((v, n) => v + spray[n]) },
          ], end);
    this.iterations.set([{ name: "pressure", color: "plot-1", x, y: stats.column("iterations") }], end);
    this.updateStages(end);
    this.updateBubbles(end);
  }

  // Seconds of every stage, summed over the substeps of a frame.
  updateStages(end) {
    const { stats } = this.run;
    const names = stats.columns.filter((c) => c.startsWith("seconds_") && c !== "seconds_total");
    const frame = stats.column("frame"), total = stats.column("seconds_total"), columns = names.map((c) => stats.column(c));
    const sums = [], others = [], x = [];
    let slot = -1, last = null;
    for (let n = 0; n < frame.length; ++n) {
      if (frame[n] !== last) (last = frame[n]), ++slot, x.push(last / this.run.fps), sums.push(names.map(() => 0)), others.push(0);
      others[slot] += total[n];
      columns.forEach((c, k) => ((sums[slot][k] += c[n]), (others[slot] -= c[n])));
    }
    const series = names.map((name, k) => ({ name: name.slice(8), color: plotColor(k), x, y: sums.map((s) => s[k]) }));
    series.push({ name: "other", color: "grid", x, y: others.map((v) => Math.max(0, v)) });
    this.stages.set(series.filter((s) => s.y.some((v) => v > 0)), end);
  }

  // The largest of them, each in its own colour.
  updateBubbles(end) {
    const { bubbles } = this.run;
    this.bubbles.root.hidden = !bubbles.columns || !bubbles.rows.length;
    if (this.bubbles.root.hidden) return;
    const lines = new Map();
    for (const row of bubbles.rows) {
      if (bubbles.value(row, "ambient")) continue;
      const id = bubbles.value(row, "bubble");
      if (!lines.has(id)) lines.set(id, { name: `${id}`, color: bubbleColor(id), x: [], y: [], most: 0 });
      const line = lines.get(id), volume = bubbles.value(row, "volume");
      line.x.push(bubbles.value(row, "time"));
      line.y.push(volume);
      line.most = Math.max(line.most, volume);
    }
    const largest = [...lines.values()].sort((a, b) => b.most - a.most);
    // The air above a closed tank would press all others to the axis.
    const room = largest.length > 1 && largest[0].most > 6 * largest[1].most;
    this.bubbles.root.querySelector(".muted").textContent = room ? `volume; ${largest[0].name}, the largest, left out` : "volume";
    this.bubbles.set(largest.slice(room ? 1 : 0, 24), end);
  }
}
