// Makes the page of `glug view`: build/viewer/{index.html,app.js,worker.js,style.css}, or in the folder given.
import { build } from "esbuild";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "build", "viewer");
await mkdir(out, { recursive: true });
await build({
  entryPoints: [join(here, "src/app.js"), join(here, "src/worker.js"), join(here, "src/style.css")],
  bundle: true,
  format: "iife",
  minify: true,
  target: "es2020",
  legalComments: "inline",
  outdir: out,
  logLevel: "warning",
});
// Last, and complete or absent: where it is, the page is built.
await copyFile(join(here, "src/index.html"), join(out, "index.html.partial"));
await rename(join(out, "index.html.partial"), join(out, "index.html"));
