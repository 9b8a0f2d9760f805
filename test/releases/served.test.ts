import { expect, test } from "vitest";
import { servedDifferences } from "./differences.ts";
import { releases } from "./facts.ts";

/** The others follow from the declarations, which are compared at every release. */
const some = ["1.21", "1.28", "1.37"] as const;

test("a server of each level tells its clients what the release tells", async () => {
  expect(await servedDifferences(process.env["LONG_TESTS"] === undefined ? some : releases)).toEqual([]);
}, 300_000);
