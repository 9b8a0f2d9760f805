import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { slowTests } from "./scripts/fast-tests.mjs";
import { excludedTests } from "./scripts/nightly-tests.mjs";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Most code runs a few times here. With the budget that V8 has for programs that stay, a fifth of the processor time is its compiler's.
setFlagsFromString("--interrupt-budget=600000");

/** Starts what takes long first: a long file that is started last leaves a core idle until it ends. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = source(".");
    const slow = new Set(slowTests(root));
    const isSlow = ({ moduleId }: TestSpecification) => slow.has(relative(root, moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

const level = process.env.TEST_LEVEL;

/** Tests that name no level are about every level (scripts/other-levels.mjs): this runs them at another one than the default. */
function atLevel(level: string): Plugin {
  return {
    name: "level of tests",
    transform(code, id) {
      if (id !== source("src/machinery/schema/levels.ts")) return undefined;
      return code.replace(/(levelDefault\b[^=]*= )"[^"]*"/, `$1${JSON.stringify(level)}`);
    },
  };
}

// Threads without isolation: a test file must not leave global state behind (several times faster on two cores).
export default defineConfig({
  plugins: level === undefined ? [] : [atLevel(level)],
  // Examples import the package, as a user's program does; here it is the source.
  resolve: {
    alias: [
      { find: /^orch$/, replacement: source("src/main/library.ts") },
      { find: /^orch\/client$/, replacement: source("src/kit/orch-client.ts") },
      { find: /^orch\/testing$/, replacement: source("src/main/testing.ts") },
    ],
  },
  test: {
    exclude: ["**/node_modules/**", ...excludedTests(source("."), process.argv, process.env)],
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts", "examples/**/*.test.ts"],
    globalSetup: ["scripts/temporary-files.setup.ts"],
    setupFiles: [
      "scripts/properties.setup.ts",
      "scripts/programs.setup.ts",
      "scripts/turns.setup.ts",
      "scripts/caches.setup.ts",
    ],
    pool: "threads",
    isolate: false,
    // Three times the cores of CI: a file computes for a third of its time, and waits for processes or for a time to pass for the rest.
    maxWorkers: 6,
    // Vitest has its own sequencer for a random order, but does not export it.
    sequence: process.argv.includes("--sequence.shuffle.files") ? {} : { sequencer: LongFirst },
    // What passes needs a fraction of these; beside many other processes it needs more.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default"],
    // Sources that have not changed are transformed once: a file that imports the whole program then starts in half the processor time.
    experimental: { fsModuleCache: true, fsModuleCachePath: source(`.cache/vitest${level ?? ""}`) },
  },
});
