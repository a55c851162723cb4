import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // the guide stands beside the pages
  server: { fs: { allow: [".."] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "components",
          include: ["src/**/*.test.tsx"],
          environment: "happy-dom",
          // they share modules, of which Mantine is the largest: each file gives back what it replaced
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
          setupFiles: ["src/test-setup.ts"],
        },
      },
      // a page for each of these files would cost more than all of its tests, modules of its own as well; one that needs
      // a page says so by `@vitest-environment`
      {
        extends: true,
        test: {
          name: "logic",
          include: ["src/**/*.test.ts"],
          environment: "node",
          isolate: false,
          unstubGlobals: true,
          setupFiles: ["src/test-setup-logic.ts"],
        },
      },
    ],
    retry: 0,
    // on a busy machine typing into a form takes its time; nothing waits without a reason
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // processes, not threads: tests that measure read their own CPU time
    pool: "forks",
    maxWorkers: 2,
    // dates in assertions must not depend on the machine
    env: { TZ: "UTC" },
  },
});
