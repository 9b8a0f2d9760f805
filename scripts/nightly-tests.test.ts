import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";

/** A module without types, because `npm test` runs it before anything is built. */
interface NightlyTests {
  nightlyTests(root: string): { readonly path: string; readonly why: string }[];
  excludedTests(root: string, words: readonly string[], env: Readonly<Record<string, string>>): string[];
}
let nightly: NightlyTests;
beforeAll(async () => {
  nightly = await import(pathToFileURL(resolve("scripts/nightly-tests.mjs")).href);
});

test("what is left for the night exists, and each has a reason", () => {
  for (const { path, why } of nightly.nightlyTests(resolve("."))) {
    expect(existsSync(path), path).toBe(true);
    expect(why, path).not.toBe("");
  }
});

test("it runs at night, and when it is named", () => {
  const excluded = (words: string[], env = {}) => nightly.excludedTests(resolve("."), words, env);
  expect(excluded([])).toContain("test/partners/**");
  expect(excluded(["src/kv"])).toEqual(excluded([]));
  expect(excluded([], { LONG_TESTS: "1" })).toEqual([]);
  expect(excluded(["test/partners/quantities.test.ts"])).not.toContain("test/partners/**");
  expect(excluded(["test/e2e/kubectl-work.test.ts"])).not.toContain("test/e2e/kubectl-work.test.ts");
  expect(excluded(["src/cel/library/work.test.ts"])).not.toContain("src/cel/library/work.test.ts");
  expect(excluded(["test/e2e"]).filter((path) => path.startsWith("test/e2e/"))).toEqual([]);
});
