import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { heapGrowthFlag } from "./heap-growth.ts";

/** Replaces objects that have become old, and prints the least and the most that the heap held after a full collection. */
const replaceObjects = `
  const { getHeapStatistics, setFlagsFromString } = require("node:v8");
  setFlagsFromString(process.argv[1]);
  const count = 100_000;
  const make = (at) => ({ at, text: "text " + at, more: [at] });
  const live = Array.from({ length: count }, (_, at) => make(at));
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let at = 0; at < 20 * count; at++) {
    live[(at * 7_919) % count] = make(at);
    if (at < 10 * count || at % 2_000 !== 0) continue;
    const { used_heap_size: used } = getHeapStatistics();
    least = Math.min(least, used);
    most = Math.max(most, used);
  }
  console.log(JSON.stringify({ least, most }));
`;

test("a heap is collected before garbage is most of it", async () => {
  const flag = heapGrowthFlag(1e9);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["-e", replaceObjects, "--", flag]);
  expect(stderr).toBe(""); // V8 would complain about a flag that it does not know
  const { least, most } = JSON.parse(stdout);
  const youngBytes = 32 * 1024 * 1024;
  expect(most).toBeLessThan(2.2 * least + youngBytes);
});

test("a heap may grow by four fifths, and a small one by 56 MB", () => {
  const megabytes = [28, 56, 70, 140, 4_000];
  const flags = megabytes.map((size) => heapGrowthFlag(size * 1024 * 1024));
  expect(flags).toEqual([200, 100, 80, 80, 80].map((percent) => `--heap-growing-percent=${percent}`));
});
