import { describe, expect, test } from "vitest";
import { dealHand, hashFlow } from "./shuffle-shard.ts";

describe("a hand", () => {
  test("has different queues, all of them in range", () => {
    for (let flow = 0; flow < 500; flow++) {
      const hand = dealHand(hashFlow("schema", `user-${flow}`), 16, 4);
      expect(new Set(hand).size).toBe(4);
      for (const queue of hand) expect(queue >= 0 && queue < 16).toBe(true);
    }
  });
  const cases: [hash: bigint, queues: number, handSize: number, hand: number[]][] = [
    [0n, 4, 3, [0, 1, 2]],
    [3n, 4, 2, [3, 0]],
    [3n + 4n * 2n, 4, 2, [3, 2]],
    [1n + 4n * 1n + 12n * 1n, 4, 3, [1, 2, 3]],
    [23n, 4, 4, [3, 2, 1, 0]],
  ];
  test.each(cases)("of hash %s: %s queues, %s cards", (hash, queues, handSize, hand) => {
    expect(dealHand(hash, queues, handSize)).toEqual(hand);
  });
  test("of all queues is a permutation of them", () => {
    const hands = new Set<string>();
    for (let hash = 0n; hash < 24n; hash++) hands.add(dealHand(hash, 4, 4).join());
    expect(hands.size).toBe(24);
  });
});

test("every queue gets about the same number of flows", () => {
  const counts = Array<number>(16).fill(0);
  for (let flow = 0; flow < 4_000; flow++) {
    for (const queue of dealHand(hashFlow("s", String(flow)), 16, 4)) counts[queue]!++;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
  for (const count of counts) expect(count).toBeLessThan(1_200);
});

test("flows of different schemas have different hashes", () => {
  expect(hashFlow("a", "bc")).not.toBe(hashFlow("ab", "c"));
});
