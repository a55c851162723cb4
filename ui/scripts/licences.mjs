// Writes dist/licences.json: every package that the server and the pages are made of, with its version and licence.
// Crates are known by `cargo metadata`, without the network; where there is no cargo or the crates' sources are not
// here, Cargo.lock names them and their licence is left open.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ui = fileURLToPath(new URL("..", import.meta.url));
const UNKNOWN = "see crates.io";
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
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")).license ?? "?") : "?";
}

/** Of what is built and run, not of what tests need. */
function crates() {
  let metadata;
  try {
    const args = ["metadata", "--format-version", "1", "--locked", "--offline"];
    const options = {
      cwd: `${ui}/..`,
      maxBuffer: METADATA_BYTES_MAX,
      stdio: ["ignore", "pipe", "ignore"],
    };
    metadata = JSON.parse(execFileSync("cargo", args, options).toString());
  } catch {
    return cratesOfLock();
  }
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
      licence: license ?? UNKNOWN,
    }));
}

function cratesOfLock() {
  const lock = readFileSync(`${ui}/../Cargo.lock`, "utf8");
  return lock.split("[[package]]").flatMap((it) => {
    const [, name] = /^name = "(.+)"$/m.exec(it) ?? [];
    const [, version] = /^version = "(.+)"$/m.exec(it) ?? [];
    const isForeign = /^source = "registry/m.test(it);
    return isForeign ? [{ from: "crate", name, version, licence: UNKNOWN }] : [];
  });
}

const order = ({ from, name, version }) => `${from} ${name} ${version}`;
const all = [...npmPackages(), ...crates()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
writeFileSync(`${ui}/dist/licences.json`, JSON.stringify(all));
console.log(`licences of ${all.length} packages`);
