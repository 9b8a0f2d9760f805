import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";

/** A module without types, because `npm test` runs it before anything is built. */
interface FastTests {
  longTests(root: string): string[];
  slowTests(root: string): string[];
}
let fast: FastTests;
beforeAll(async () => {
  fast = await import(pathToFileURL(resolve("scripts/fast-tests.mjs")).href);
});
const root = resolve(".");

test("the fast tests leave out what takes long and what starts a process, and keep the others", () => {
  const left = fast.slowTests(root);
  expect(left).toEqual(expect.arrayContaining([...fast.longTests(root), "test/e2e/ctl.test.ts"]));
  expect(left).not.toContain("src/machinery/schema/constraints.test.ts");
});

test("every file that is listed as long is a test, once and in order", () => {
  const listed = fast.longTests(root);
  expect(listed.filter((file) => !file.endsWith(".test.ts") || !existsSync(file))).toEqual([]);
  expect(listed).toEqual([...new Set(listed)].sort());
});
