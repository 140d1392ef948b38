// Files of frames, read by a worker and kept while there is room: frames.get() asks, frames.peek() looks.

const room = 600e6;  // bytes of what is kept

function bytesOf(value) {
  if (value instanceof HTMLImageElement) return 4 * value.naturalWidth * value.naturalHeight;
  let bytes = 1000;
  for (const part of Object.values(value)) if (ArrayBuffer.isView(part)) bytes += part.byteLength;
  if (value.arrays) for (const a of Object.values(value.arrays)) bytes += a.values.byteLength;
  return bytes;
}

export class Frames {
  constructor() {
    this.worker = new Worker("worker.js");
    this.waiting = new Map();
    this.kept = new Map();  // key -> {promise, value, bytes}, least recently used first
    this.bytes = 0;
    this.next = 0;
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error) reject(new Error(data.error));
      else resolve(data.result);
    };
  }

  read(url, kind) {
    if (kind === "picture")
      return new Promise((resolve, reject) => {
        const image = new Image();
        image.onload = () => resolve(image);
        image.onerror = () => reject(new Error(`${url} cannot be read`));
        image.src = url;
      });
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, url: new URL(url, location.href).href, kind });
    });
  }

  peek(url) {
    return this.kept.get(url)?.value;
  }

  get(url, kind) {
    const there = this.kept.get(url);
    if (there) {
      this.kept.delete(url);
      this.kept.set(url, there);
      return there.promise;
    }
    const entry = { value: undefined, bytes: 0 };
    entry.promise = this.read(url, kind).then(
      (value) => {
        if (this.kept.get(url) !== entry) return value;  // forgotten meanwhile
        entry.value = value;
        entry.bytes = bytesOf(value);
        this.bytes += entry.bytes;
        this.makeRoom(entry);
        return value;
      },
      (error) => {
        this.kept.delete(url);
        throw error;
      },
    );
    this.kept.set(url, entry);
    return entry.promise;
  }

  makeRoom(keep) {
    for (const [key, entry] of this.kept) {
      if (this.bytes <= room) return;
      if (entry === keep || entry.value === undefined) continue;
      this.bytes -= entry.bytes;
      this.kept.delete(key);
    }
  }

  forget() {
    this.kept.clear();
    this.bytes = 0;
  }
}
