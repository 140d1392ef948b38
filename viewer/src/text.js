// Numbers as people read them.

export function short(value, digits = 3) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [m, e] = value.toExponential(digits - 1).split("e");
    return `${Number(m)}e${Number(e)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

export function count(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1e6) return `${(value / 1e6).toPrecision(3)} M`;
  if (value >= 1e4) return `${(value / 1e3).toPrecision(3)} k`;
  return String(value);
}

// m^3 or, in 2D, m^2.
export function volume(value, dimension) {
  if (!Number.isFinite(value)) return "–";
  const units = dimension === 3
    ? [[1, "m³"], [1e-3, "l"], [1e-6, "ml"], [1e-9, "mm³"]]
    : [[1, "m²"], [1e-4, "cm²"], [1e-6, "mm²"]];
  const [size, name] = units.find(([u]) => Math.abs(value) >= 0.5 * u) ?? units[units.length - 1];
  return `${short(value / size)} ${name}`;
}

export function pressure(value) {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 1000 ? `${short(value / 1000)} kPa` : `${short(value)} Pa`;
}

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${short(seconds, 2)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// A round step that divides a span into about `parts`.
export function step(span, parts) {
  const raw = span / parts, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
