import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";
import { CSP } from "./dev/policy";

const server = process.env["SAKER_DEV_SERVER"] ?? "http://127.0.0.1:8080";
const proxy = {
  "/api_jsonrpc.php": server,
  "/api": { target: server, ws: true },
  "/docs/api/openrpc.json": server,
  "/health": server,
};

const ENTRY = "src/main.tsx";
const PAGES = "src/app/app.tsx";

const without = (all: Set<string>, others: Set<string>) =>
  new Set([...all].filter((it) => !others.has(it)));

/** A start with all that follows from it. */
function closure(start: readonly string[], next: (it: string) => readonly string[]): Set<string> {
  const found = new Set(start);
  for (const it of found) for (const further of next(it)) found.add(further);
  return found;
}

/** What the first load consists of: modules of ours, then files, by the entry and by the pages' frame. */
const modules = { entry: new Set<string>(), frame: new Set<string>() };
const files = { entry: new Set<string>(), frame: new Set<string>() };

/**
 * Modules of the first load are in one chunk of the entry and one of the frame: otherwise each that some pages share
 * with them would be a chunk of its own. They load alongside the session and the catalogue that the entry waits for.
 */
function firstLoad(): Plugin {
  return {
    name: "first-load",
    apply: "build",
    buildEnd() {
      const collect = (ending: string) => {
        const start = [...this.getModuleIds()].filter((it) => it.endsWith(ending));
        const imported = (id: string) => this.getModuleInfo(id)?.importedIds ?? [];
        const found = closure(start, (id) =>
          imported(id).filter((it) => !it.includes("node_modules")),
        );
        // the two themselves stay chunks of their own
        return without(found, new Set(start));
      };
      modules.entry = collect(ENTRY);
      modules.frame = collect(PAGES);
    },
    generateBundle: {
      order: "pre",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((it) => it.type === "chunk");
        const imported = new Map(chunks.map((it) => [it.fileName, it.imports]));
        const collect = (ending: string) => {
          const start = chunks.filter((it) => it.facadeModuleId?.endsWith(ending));
          if (start.length === 0) throw new Error(`${ending} is no chunk of its own`);
          return closure(
            start.map((it) => it.fileName),
            (it) => imported.get(it) ?? [],
          );
        };
        files.entry = collect("/index.html");
        files.frame = without(collect(PAGES), files.entry);
        // in a circle, constants would be used before they are there
        for (const name of [...files.entry, ...files.frame]) {
          const below = closure(imported.get(name) ?? [], (it) => imported.get(it) ?? []);
          if (below.has(name)) throw new Error(`${name} imports itself through other chunks`);
        }
      },
    },
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) => {
        const styles = Object.values(bundle ?? {})
          .filter((it) => it.type === "chunk" && files.frame.has(it.fileName))
          .flatMap((it) => [...(it.viteMetadata?.importedCss ?? [])]);
        const link = (rel: string, file: string): HtmlTagDescriptor => ({
          tag: "link",
          attrs: { rel, crossorigin: true, href: `/${file}` },
          injectTo: "head",
        });
        return [
          ...[...files.frame].map((file) => link("modulepreload", file)),
          ...styles.map((file) => link("stylesheet", file)),
        ];
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), firstLoad()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    // data: URLs would need holes in the content security policy
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // pages ask for nothing that the first load has brought: it would be a fiftieth of it
      resolveDependencies: (_, needed) =>
        needed.filter((it) => !files.entry.has(it) && !files.frame.has(it)),
    },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // libraries stay where those who need them share them
          includeDependenciesRecursively: false,
          // what the frame alone needs is in its own chunk, with its libraries
          minShareCount: 2,
          groups: [
            { name: "entry", test: (id) => modules.entry.has(id), priority: 2 },
            { name: "frame", test: (id) => modules.frame.has(id), priority: 1 },
          ],
        },
      },
    },
  },
  // the guide stands beside the pages
  server: { proxy, fs: { allow: [".."] } },
  // the built pages under the policy that the server sends
  preview: { proxy, headers: { "Content-Security-Policy": CSP } },
});
