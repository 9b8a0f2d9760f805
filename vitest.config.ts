import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Threads without isolation: a test file must not leave global state behind (several times faster on two cores).
export default defineConfig({
  // Examples import the package, as a user's program does; here it is the source.
  resolve: {
    alias: [
      { find: /^orch$/, replacement: source("src/main/library.ts") },
      { find: /^orch\/client$/, replacement: source("src/kit/orch-client.ts") },
      { find: /^orch\/testing$/, replacement: source("src/main/testing.ts") },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["scripts/properties.setup.ts", "scripts/programs.setup.ts"],
    pool: "threads",
    isolate: false,
    // One more than the cores of CI: many tests wait for processes that they start.
    maxWorkers: 3,
    // What passes needs a fraction of these; beside many other processes it needs more.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default"],
    // Sources that have not changed are transformed once: a file that imports the whole program then starts in half the processor time.
    experimental: { fsModuleCache: true, fsModuleCachePath: source(".cache/vitest") },
  },
});
