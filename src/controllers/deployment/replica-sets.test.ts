import { expect, test } from "vitest";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { largestThenOldest, oldestFirst } from "./replica-sets.ts";

test("thousands of replica sets are sorted with each time read once", () => {
  let reads = 0;
  const sets = Array.from({ length: 2_000 }, (_, at): ReplicaSet => {
    const text = new Date(((at * 7_919) % 2_000) * 1_000).toISOString().replace(".000", "");
    return {
      metadata: {
        name: `r${at}`,
        get creationTimestamp() {
          reads++;
          return text;
        },
      },
      spec: { selector: {} },
    };
  });
  const sorted = [...sets].sort(oldestFirst);
  expect(reads).toBe(2_000);
  expect([...sets].sort(largestThenOldest)).toEqual(sorted);
  expect(sorted.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? "") / 1_000)).toEqual(
    Array.from({ length: 2_000 }, (_, at) => at),
  );
});
