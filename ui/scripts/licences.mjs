// Writes dist/licences.json: every package that the server and the pages are made of, with its version and licence.
// `cargo metadata` reads them from the crates' sources, which `cargo fetch --locked` has brought before. A package
// whose licence is not known fails the build, and leaves no file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ui = fileURLToPath(new URL("..", import.meta.url));
const METADATA_BYTES_MAX = 256 * 1024 * 1024;

function npmPackages() {
  const lock = JSON.parse(readFileSync(`${ui}/package-lock.json`, "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, it]) => path !== "" && it.dev !== true && it.optional !== true)
    .map(([path, it]) => ({
      from: "npm",
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: it.version,
      licence: it.license ?? licenceOfInstalled(path),
    }));
}

function licenceOfInstalled(path) {
  const file = `${ui}/${path}/package.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).license : undefined;
}

/** Of what is built and run, not of what tests need. */
function crates() {
  const args = ["metadata", "--format-version", "1", "--locked", "--offline"];
  const options = {
    cwd: `${ui}/..`,
    maxBuffer: METADATA_BYTES_MAX,
    stdio: ["ignore", "pipe", "inherit"],
  };
  const metadata = JSON.parse(execFileSync("cargo", args, options).toString());
  const nodes = new Map(metadata.resolve.nodes.map((it) => [it.id, it]));
  const reached = new Set();
  const waiting = [...metadata.workspace_default_members];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) {
      if (dep_kinds.some(({ kind }) => kind !== "dev")) waiting.push(pkg);
    }
  }
  return metadata.packages
    .filter(({ id, source }) => source !== null && reached.has(id))
    .map(({ name, version, license }) => ({
      from: "crate",
      name,
      version,
      licence: license ?? undefined,
    }));
}

function fail(reason) {
  console.error(`the licences are not known: ${reason}`);
  process.exit(1);
}

/** Crates, or the end of this program. */
function knownCrates() {
  try {
    return crates();
  } catch (error) {
    return fail(`${error.message}\nrun \`cargo fetch --locked\` first`);
  }
}

const FILE = `${ui}/dist/licences.json`;
// of an earlier build
rmSync(FILE, { force: true });
const order = ({ from, name, version }) => `${from} ${name} ${version}`;
const all = [...npmPackages(), ...knownCrates()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
const unknown = all.filter(({ licence }) => typeof licence !== "string" || licence === "");
if (unknown.length > 0) fail(unknown.map(({ name, version }) => `${name} ${version}`).join(", "));
writeFileSync(FILE, JSON.stringify(all));
console.log(`licences of ${all.length} packages`);
