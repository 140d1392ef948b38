// The track of frames: what there is, what is asked for, where the run stands; drag to scrub.
import { theme } from "./colors.js";

export class Timeline {
  constructor(run, { seek, url }) {
    this.run = run;
    this.track = document.getElementById("track");
    this.canvas = this.track.querySelector("canvas");
    this.thumb = document.getElementById("thumb");
    this.frame = 0;
    this.ranges = [];
    const frameAt = (event) => {
      const box = this.track.getBoundingClientRect();
      const share = (event.clientX - box.left - 8) / (box.width - 16);
      return Math.round(Math.max(0, Math.min(1, share)) * this.run.frames);
    };
    this.track.addEventListener("pointerdown", (event) => {
      this.track.setPointerCapture(event.pointerId);
      seek(frameAt(event));
    });
    this.track.addEventListener("pointermove", (event) => {
      const frame = frameAt(event);
      if (event.buttons & 1) seek(frame);
      this.showThumb(frame, event, url(frame));
    });
    this.track.addEventListener("pointerleave", () => (this.thumb.hidden = true));
    new ResizeObserver(() => this.draw()).observe(this.track);
  }

  showThumb(frame, event, picture) {
    const box = this.track.getBoundingClientRect();
    this.thumb.hidden = false;
    this.thumb.style.left = `${event.clientX - box.left}px`;
    const image = this.thumb.querySelector("img");
    image.hidden = !picture;
    if (picture && image.getAttribute("src") !== picture) image.src = picture;
    this.thumb.querySelector("span").textContent = `frame ${frame}`;
  }

  set(frame, ranges) {
    this.frame = frame;
    this.ranges = ranges;
    this.track.setAttribute("aria-valuenow", frame);
    this.track.setAttribute("aria-valuemax", this.run.frames);
    this.draw();
  }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, scale = devicePixelRatio || 1;
    if (!width) return;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const g = this.canvas.getContext("2d"), color = theme();
    g.scale(scale, scale);
    const frames = Math.max(1, this.run.frames), X = (f) => 8 + ((width - 16) * f) / frames, middle = height / 2 - 3;
    const bar = (from, to, style) => {
      g.fillStyle = style;
      g.beginPath();
      g.roundRect(X(from) - 3, middle - 3, X(to) - X(from) + 6, 6, 3);
      g.fill();
    };
    bar(0, frames, color("panel-line"));
    for (const [first, last] of this.ranges) bar(first, last, color("faint"));
    if (this.ranges.length) bar(0, this.frame, color("accent"));
    // Seconds below.
    g.fillStyle = color("muted");
    g.font = "10px system-ui, sans-serif";
    g.textAlign = "center";
    const seconds = frames / this.run.fps, every = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 300].find((s) => (s / seconds) * width > 54) ?? 600;
    for (let t = 0; t <= seconds + 1e-9; t += every) {
      const x = X(t * this.run.fps);
      g.fillRect(Math.round(x), middle + 7, 1, 4);
      g.fillText(`${Number(t.toFixed(2))} s`, Math.max(12, Math.min(width - 12, x)), height - 1);
    }
    g.fillStyle = color("accent");
    g.strokeStyle = color("page");
    g.lineWidth = 2.5;
    g.beginPath();
    g.arc(X(this.frame), middle, 8, 0, 2 * Math.PI);
    g.fill();
    g.stroke();
  }
}
