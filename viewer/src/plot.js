// A small plot over time: lines, or amounts on top of each other. The moment that is shown is a line in it;
// a click goes to another. `model` is what was drawn, for tests and tooltips:
//   { series: [{name, color, x, y}], xRange, yRange, area: {left, top, width, height} in CSS pixels }
import { theme } from "./colors.js";
import { short, step } from "./text.js";

export class Plot {
  // stacked: series are amounts that add up.
  constructor(parent, { title, unit = "", stacked = false, leastSpan = () => 0, fromZero = false }, seek) {
    Object.assign(this, { stacked, leastSpan, fromZero, unit, seek, now: 0, hover: null });
    this.model = { series: [], xRange: [0, 1], yRange: [0, 1], area: { left: 44, top: 4, width: 1, height: 1 } };
    this.root = document.createElement("div");
    this.root.className = "plot";
    this.root.innerHTML = `<header><h2></h2></header><canvas></canvas>`;
    this.root.querySelector("h2").textContent = title;
    if (unit) this.root.querySelector("h2").insertAdjacentHTML("beforeend", ` <span class="muted">${unit}</span>`);
    this.head = this.root.querySelector("header");
    this.canvas = this.root.querySelector("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", title);
    parent.append(this.root);
    const timeAt = (event) => {
      const { area, xRange } = this.model;
      const share = (event.offsetX - area.left) / area.width;
      return xRange[0] + Math.max(0, Math.min(1, share)) * (xRange[1] - xRange[0]);
    };
    this.canvas.addEventListener("pointermove", (event) => {
      this.hover = timeAt(event);
      if (event.buttons & 1) this.seek(this.hover);
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => ((this.hover = null), this.draw()));
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.seek(timeAt(event));
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  set(series, end) {
    this.model.series = series;
    this.model.xRange = [0, end > 0 ? end : 1];
    let low = this.fromZero || this.stacked ? 0 : Infinity, high = -Infinity;
    if (this.stacked) {
      const n = Math.max(0, ...series.map((s) => s.y.length));
      for (let i = 0; i < n; ++i) high = Math.max(high, series.reduce((sum, s) => sum + (s.y[i] ?? 0), 0));
    } else {
      for (const s of series)
        for (const y of s.y) {
          if (!Number.isFinite(y)) continue;
          if (y < low) low = y;
          if (y > high) high = y;
        }
    }
    if (!(high >= low)) (low = 0), (high = 1);
    const least = this.leastSpan(low, high) || 1e-12;
    if (high - low < least) {
      const middle = 0.5 * (high + low);
      low = this.fromZero || this.stacked ? 0 : middle - 0.5 * least;
      high = this.fromZero || this.stacked ? Math.max(high, least) : middle + 0.5 * least;
    }
    const margin = 0.06 * (high - low);
    this.model.yRange = [this.fromZero || this.stacked ? 0 : low - margin, high + margin];
    this.draw();
  }

  at(time) {
    this.now = time;
    this.draw();
  }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, scale = devicePixelRatio || 1;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    const g = this.canvas.getContext("2d"), color = theme();
    const { series, xRange, yRange } = this.model;
    const area = (this.model.area = { left: 44, top: 4, width: width - 50, height: height - 20 });
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    const X = (x) => area.left + ((x - xRange[0]) / (xRange[1] - xRange[0])) * area.width;
    const Y = (y) => area.top + area.height - ((y - yRange[0]) / (yRange[1] - yRange[0])) * area.height;

    g.font = "10.5px system-ui, sans-serif";
    g.fillStyle = color("muted");
    g.strokeStyle = color("grid");
    g.lineWidth = 1;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const dy = step(yRange[1] - yRange[0], 3);
    for (let y = Math.ceil(yRange[0] / dy) * dy; y <= yRange[1]; y += dy) {
      const at = Math.round(Y(y)) + 0.5;
      g.beginPath(), g.moveTo(area.left, at), g.lineTo(area.left + area.width, at), g.stroke();
      g.fillText(short(Math.abs(y) < 1e-9 * dy ? 0 : y), area.left - 6, at);
    }
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    const dx = step(xRange[1] - xRange[0], 5);
    for (let x = 0; x <= xRange[1] + 1e-9; x += dx) {
      const text = short(x) + (x + dx > xRange[1] + 1e-9 ? " s" : "");
      g.fillText(text, Math.min(X(x), width - 1 - g.measureText(text).width / 2), height - 4);
    }

    g.save();
    g.beginPath(), g.rect(area.left, 0, area.width + 1, area.top + area.height + 1), g.clip();
    if (this.stacked) this.drawStack(g, X, Y, color);
    else for (const s of series) this.drawLine(g, s, X, Y, color);
    g.restore();

    const mark = (time, style) => {
      g.strokeStyle = style;
      const at = Math.round(X(time)) + 0.5;
      g.beginPath(), g.moveTo(at, area.top), g.lineTo(at, area.top + area.height), g.stroke();
    };
    if (this.hover !== null) mark(this.hover, color("faint"));
    mark(Math.max(xRange[0], Math.min(xRange[1], this.now)), color("ink"));
    this.writeKey(this.hover ?? this.now, color);
  }

  // One column of pixels may hold many values: from their lowest to their highest.
  drawLine(g, { x, y, color: name }, X, Y, color) {
    g.strokeStyle = name.startsWith("plot") ? color(name) : name;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    g.beginPath();
    let column = null, low = 0, high = 0, last = 0, begun = false;
    const flush = () => {
      if (column === null) return;
      if (!begun) g.moveTo(column, low), (begun = true);
      else g.lineTo(column, low);
      if (high !== low) g.lineTo(column, high), g.lineTo(column, last);
    };
    for (let n = 0; n < x.length; ++n) {
      const px = X(x[n]), py = Y(y[n]);
      if (!Number.isFinite(py)) continue;
      if (column !== null && Math.abs(px - column) < 0.5) {
        low = Math.min(low, py), (high = Math.max(high, py)), (last = py);
        continue;
      }
      flush();
      (column = px), (low = high = last = py);
    }
    flush();
    g.stroke();
  }

  drawStack(g, X, Y, color) {
    const { series } = this.model;
    if (!series.length) return;
    const x = series[0].x, base = new Float64Array(x.length);
    for (const s of series) {
      g.fillStyle = color(s.color);
      g.beginPath();
      for (let n = 0; n < x.length; ++n) {
        const left = X(n ? x[n - 1] : x[n] - (x[1] - x[0] || 0)), right = Math.max(X(x[n]), left + 0.7);
        const low = Y(base[n]);
        base[n] += s.y[n];
        g.rect(left, Y(base[n]), right - left, low - Y(base[n]));
      }
      g.fill();
    }
  }

  valueAt(s, time) {
    // The last value at or before: rows are in order of time.
    let low = 0, high = s.x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (s.x[middle] <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return s.y[Math.max(0, low - 1)];
  }

  writeKey(time, color) {
    const wanted = this.model.series.slice(0, 8);
    while (this.head.children.length - 1 > wanted.length) this.head.lastChild.remove();
    while (this.head.children.length - 1 < wanted.length)
      this.head.insertAdjacentHTML("beforeend", `<span class="key"><i></i><span></span><b></b></span>`);
    wanted.forEach((s, n) => {
      const key = this.head.children[n + 1];
      key.children[0].style.background = s.color.startsWith("plot") ? color(s.color) : s.color;
      key.children[1].textContent = s.name;
      key.children[2].textContent = short(this.valueAt(s, time));
    });
  }
}
