// Colours: of the theme, of bubbles by their number, of speeds.

export const theme = () => {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
};
export const isDark = () => document.documentElement.dataset.theme === "dark";

const hues = [28, 330, 265, 95, 5, 205, 50, 290, 160, 350, 230, 120];
// A colour that stays with the bubble for its life.
export function bubbleColor(id) {
  const n = ((id % 1e6) * 7 + 3) % hues.length;
  return `hsl(${hues[n]} 78% ${isDark() ? 66 : 47}%)`;
}

const paints = ["#d9a06c", "#c7684f", "#7f9a63", "#6f86b8", "#b27fa6", "#d6b955"];
// Things that move, told apart by their place in the list.
export const bodyColor = (n) => paints[n % paints.length];

// From calm to fast: deep blue, teal, pale, warm.
const stops = [[0, 18, 62, 120], [0.3, 15, 125, 165], [0.6, 96, 200, 205], [0.82, 246, 232, 190], [1, 235, 110, 55]];
export function speedColor(share, out, at) {
  const s = share < 0 ? 0 : share > 1 ? 1 : share;
  let n = 1;
  while (n < stops.length - 1 && stops[n][0] < s) ++n;
  const a = stops[n - 1], b = stops[n], w = (s - a[0]) / (b[0] - a[0]);
  for (let c = 0; c < 3; ++c) out[at + c] = a[c + 1] + w * (b[c + 1] - a[c + 1]);
}
export const speedGradient = `linear-gradient(90deg, ${stops.map(([p, r, g, b]) => `rgb(${r},${g},${b}) ${100 * p}%`).join(", ")})`;

// For fields with two signs: blue, page, orange.
export function signedColor(share, out, at) {
  const s = Math.max(-1, Math.min(1, share)), w = Math.abs(s);
  const end = s < 0 ? [30, 110, 200] : [225, 100, 40], mid = isDark() ? [24, 36, 44] : [246, 248, 249];
  for (let c = 0; c < 3; ++c) out[at + c] = mid[c] + w * (end[c] - mid[c]);
}
export const signedGradient = () => `linear-gradient(90deg, rgb(30,110,200), ${isDark() ? "rgb(24,36,44)" : "rgb(246,248,249)"}, rgb(225,100,40))`;
