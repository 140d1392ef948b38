// What is known of the run: asked for every second, tables by what they grew.

export class Table {
  constructor(name) {
    this.name = name;
    this.reset();
  }
  reset() {
    this.bytes = 0;
    this.rest = "";
    this.columns = null;
    this.index = {};
    this.rows = [];
  }
  // Whether anything changed.
  async update(size, fresh) {
    const again = fresh || size === undefined || size < this.bytes;
    if (again) this.reset();
    if (size === undefined || size === this.bytes) return again;
    const headers = this.bytes ? { Range: `bytes=${this.bytes}-` } : {};
    const response = await fetch(`files/${this.name}`, { headers });
    if (!response.ok) return again;
    const buffer = await response.arrayBuffer();
    if (this.bytes && response.status !== 206) this.reset();
    this.bytes += buffer.byteLength;
    const lines = (this.rest + new TextDecoder().decode(buffer)).split("\n");
    this.rest = lines.pop();
    for (const line of lines) {
      const words = line.split(",");
      if (!this.columns) {
        this.columns = words;
        words.forEach((w, n) => (this.index[w] = n));
      } else {
        this.rows.push(words.map((w) => (w !== "" && Number.isFinite(Number(w)) ? Number(w) : w)));
      }
    }
    return true;
  }
  column(name) {
    const n = this.index[name];
    return n === undefined ? null : this.rows.map((row) => row[n]);
  }
  last() {
    return this.rows[this.rows.length - 1];
  }
  value(row, name) {
    return row?.[this.index[name]];
  }
}

// Rows of a table with a column "frame", by frame; only new rows are looked at.
class ByFrame {
  constructor(table) {
    this.table = table;
    this.clear();
  }
  clear() {
    this.done = 0;
    this.frames = new Map();
  }
  update() {
    if (this.table.rows.length < this.done) this.clear();
    for (; this.done < this.table.rows.length; ++this.done) {
      const row = this.table.rows[this.done], frame = this.table.value(row, "frame");
      if (!this.frames.has(frame)) this.frames.set(frame, []);
      this.frames.get(frame).push(row);
    }
  }
  at(frame) {
    return this.frames.get(frame) ?? [];
  }
}

export class Run extends EventTarget {
  constructor() {
    super();
    this.status = { state: "" };
    this.files = { frames: {}, solids: [], tables: {}, written: 0 };
    this.scene = null;
    this.stats = new Table("stats.csv");
    this.bubbles = new Table("bubbles.csv");
    this.bodies = new Table("bodies.csv");
    this.bubblesAt = new ByFrame(this.bubbles);
    this.bodiesAt = new ByFrame(this.bodies);
    this.reached = true;
  }

  get going() {
    return this.status.state === "running" || this.status.state === "starting";
  }
  get fps() {
    return this.scene?.time?.fps ?? 24;
  }
  get frames() {
    return Math.max(this.scene?.time?.frames ?? 0, this.lastFrame());
  }
  // What the number in the names of files is more than the frame; tables and pictures count from 0.
  shift(kind) {
    return kind === "preview" ? 0 : this.scene?.output?.first_frame ?? 0;
  }
  lastFrame() {
    let last = 0;
    for (const [kind, formats] of Object.entries(this.files.frames))
      for (const ranges of Object.values(formats)) last = Math.max(last, ranges[ranges.length - 1][1] - this.shift(kind));
    return last;
  }
  // Of frames, first and last.
  ranges(kind, extension) {
    const shift = this.shift(kind);
    return (this.files.frames[kind]?.[extension] ?? []).map(([first, last]) => [first - shift, last - shift]);
  }
  // The frame itself, or the nearest before it that has a file; -1: none.
  nearest(kind, extension, frame) {
    let best = -1;
    for (const [first, last] of this.ranges(kind, extension)) if (first <= frame) best = Math.min(last, frame);
    if (best < 0 && this.ranges(kind, extension).length) best = this.ranges(kind, extension)[0][0];
    return best;
  }
  url(kind, extension, frame) {
    const number = String(frame + this.shift(kind)).padStart(4, "0");
    return `files/${kind}/${kind}.${number}.${extension}?${this.files.written}`;
  }

  // One after the other: two at once would read the same rows.
  update() {
    return (this.updating = (this.updating ?? Promise.resolve()).then(() => this.updateNow()));
  }

  async updateNow() {
    let answer;
    try {
      const response = await fetch("api/run");
      if (!response.ok) throw new Error(await response.text());
      answer = await response.json();
      const fresh = answer.files.written !== this.files.written;
      if (fresh) this.scene = await (await fetch("api/scene")).json();
      const before = JSON.stringify([this.status, this.files]);
      this.status = answer.run;
      this.files = answer.files;
      let changed = fresh || before !== JSON.stringify([this.status, this.files]);
      for (const table of [this.stats, this.bubbles, this.bodies])
        changed = (await table.update(this.files.tables[table.name], fresh)) || changed;
      if (fresh) this.bubblesAt.clear(), this.bodiesAt.clear();
      this.bubblesAt.update();
      this.bodiesAt.update();
      changed = changed || !this.reached;
      this.reached = true;
      if (fresh) this.dispatchEvent(new Event("fresh"));
      if (changed) this.dispatchEvent(new Event("change"));
    } catch (error) {
      if (this.reached) {
        this.reached = false;
        this.dispatchEvent(new Event("change"));
      }
      console.warn(error);
    }
  }

  async start() {
    for (;;) {
      await this.update();
      const pause = this.going ? 700 : 2000;
      await new Promise((resolve) => setTimeout(resolve, document.hidden ? 5 * pause : pause));
    }
  }

  async ask(what) {
    const response = await fetch(`api/${what}`, { method: "POST", headers: { "X-Glug": "1" } });
    if (!response.ok) throw new Error((await response.text()).trim());
    await this.update();
  }
}
