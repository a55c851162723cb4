// Fails the build when the first load grows past its budget: the page, the entry and the pages' frame with
// everything that they import statically (scripts and styles), and the overview page that opens after login.
// Catalogues of languages are not in it: at most one of them loads, and none for English.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

// 250 kB: the first load on a 20 Mbit/s line stays at about a tenth of a second
const BUDGET_BYTES = 250_000;
const FRAME = "src/app/app.tsx";
const FIRST_PAGE = "src/features/overview/overview-page.tsx";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}/.vite/manifest.json`, "utf8"));

const seen = new Set();
const files = new Set(["index.html"]);
function visit(key) {
  if (seen.has(key)) return;
  seen.add(key);
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`no ${key} in the build's manifest`);
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const next of chunk.imports ?? []) visit(next);
}
visit("index.html");
visit(FRAME);
if (manifest[FIRST_PAGE] !== undefined) visit(FIRST_PAGE);

// what compression would not shrink is sent as it is
const sent = (file) => (existsSync(`${dist}/${file}.br`) ? `${file}.br` : file);
const sizes = [...files].map((file) => [statSync(`${dist}/${sent(file)}`).size, file]);
sizes.sort((a, b) => b[0] - a[0]);
const total = sizes.reduce((sum, [size]) => sum + size, 0);
for (const [size, file] of sizes)
  console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`);
console.log(`first load ${(total / 1000).toFixed(1)} kB brotli, budget ${BUDGET_BYTES / 1000} kB`);
rmSync(`${dist}/.vite`, { recursive: true });
if (total > BUDGET_BYTES) {
  console.error("first load is over its budget");
  process.exit(1);
}
