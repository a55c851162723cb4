import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // the guide stands beside the pages
  server: { fs: { allow: [".."] } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test-setup.ts"],
    retry: 0,
    // on a busy machine typing into a form takes its time; nothing waits without a reason
    testTimeout: 30_000,
    // processes, not threads: tests that measure read their own CPU time
    pool: "forks",
    maxWorkers: 2,
    // dates in assertions must not depend on the machine
    env: { TZ: "UTC" },
  },
});
