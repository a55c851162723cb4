// Writes .br and .gz next to every file of dist that shrinks by it, so that the server compresses nothing.
// Files that do not shrink get none; the server then sends the plain file.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const compressible = new Set([".html", ".js", ".css", ".svg", ".json", ".txt"]);

// the build's own manifest is for the budget check; it is not served
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

let total = 0;
for (const file of files) {
  if (file.includes(`${dist}/.vite/`) || !compressible.has(extname(file))) continue;
  const plain = readFileSync(file);
  const brotli = brotliCompressSync(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
  const gzip = gzipSync(plain, { level: 9 });
  for (const [suffix, packed] of [
    [".br", brotli],
    [".gz", gzip],
  ]) {
    if (packed.length < plain.length) writeFileSync(file + suffix, packed);
    else rmSync(file + suffix, { force: true });
  }
  total += brotli.length;
}
console.log(`compressed ${files.length} files, ${(total / 1000).toFixed(1)} kB brotli in all`);
