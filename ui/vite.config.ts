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

const PAGES = "src/app/app.tsx";

/** The pages' modules load beside the session and the catalogue that they wait for (src/main.tsx). */
function preloadPages(): Plugin {
  return {
    name: "preload-pages",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) => {
        const chunks = Object.values(bundle ?? {}).filter((it) => it.type === "chunk");
        const pages = chunks.find((it) => it.facadeModuleId?.endsWith(PAGES));
        if (pages === undefined) throw new Error(`${PAGES} is no chunk of its own`);
        const files = [pages.fileName, ...pages.imports];
        const styles = chunks
          .filter((it) => files.includes(it.fileName))
          .flatMap((it) => [...(it.viteMetadata?.importedCss ?? [])]);
        const link = (rel: string, file: string): HtmlTagDescriptor => ({
          tag: "link",
          attrs: { rel, crossorigin: true, href: `/${file}` },
          injectTo: "head",
        });
        return [
          ...files.map((file) => link("modulepreload", file)),
          ...styles.map((file) => link("stylesheet", file)),
        ];
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), preloadPages()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    // data: URLs would need holes in the content security policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  // the guide stands beside the pages
  server: { proxy, fs: { allow: [".."] } },
  // the built pages under the policy that the server sends
  preview: { proxy, headers: { "Content-Security-Policy": CSP } },
});
