import { defineConfig } from "vitest/config";

// Threads without isolation: a test file must not leave global state behind (several times faster on two cores).
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["scripts/properties.setup.ts"],
    pool: "threads",
    isolate: false,
    maxWorkers: 2, // by default one core is left idle: many tests wait for processes that they start
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default"],
  },
});
