import { expect, test } from "vitest";
import { batchBytesMax, batchWritesMax, growthOf, takeBatch } from "./batch.ts";
import type { QueuedCommit } from "./decide.ts";

const writes = (count: number, valueBytes = 0): QueuedCommit[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `${index}`,
    value: new Uint8Array(valueBytes),
    expected: 0n,
    resolve() {},
    reject() {},
  }));

test("a batch has a limit of writes, and the rest stays in order", () => {
  const queue = writes(batchWritesMax + 2);
  expect(takeBatch(queue)).toHaveLength(batchWritesMax);
  expect(queue.map(({ key }) => key)).toEqual([`${batchWritesMax}`, `${batchWritesMax + 1}`]);
});

test("a batch has a limit of bytes", () => {
  const queue = writes(3, batchBytesMax / 2);
  expect(takeBatch(queue)).toHaveLength(2);
  expect(takeBatch(queue)).toHaveLength(1);
});

test("a write larger than a batch goes alone", () => {
  const queue = [...writes(1, batchBytesMax + 1), ...writes(1)];
  expect(takeBatch(queue)).toHaveLength(1);
  expect(takeBatch(queue)).toHaveLength(1);
  expect(takeBatch(queue)).toEqual([]);
});

test("more space is reserved than is written, even if nothing is written", () => {
  expect(growthOf([], 0)).toBeGreaterThan(0);
  expect(growthOf(writes(1, 1_000_000), 0) - growthOf([], 0)).toBeGreaterThan(2_000_000);
  expect(growthOf([], 10) - growthOf([], 0)).toBeGreaterThan(80_000);
});

test("writes that happen together stay in one batch, and each of them counts", () => {
  const [first, ...others] = writes(batchWritesMax);
  const queue: QueuedCommit[] = [...writes(1), { ...first!, others }, ...writes(1)];
  expect(takeBatch(queue)).toHaveLength(1);
  expect(takeBatch(queue)).toHaveLength(1);
  expect(queue).toHaveLength(1);
  const growth = growthOf([{ ...first!, others }], 0);
  expect(growth).toBe(growthOf(writes(batchWritesMax), 0));
});
