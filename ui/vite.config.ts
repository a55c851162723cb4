import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { CSP } from "./dev/policy";

const server = process.env["SAKER_DEV_SERVER"] ?? "http://127.0.0.1:8080";
const proxy = {
  "/api_jsonrpc.php": server,
  "/api": { target: server, ws: true },
  "/health": server,
};

export default defineConfig({
  plugins: [react()],
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
  server: { proxy },
  // the built pages under the policy that the server sends
  preview: { proxy, headers: { "Content-Security-Policy": CSP } },
});
