import { expect, test } from "vitest";
import { CommitBuffer } from "./commit-buffer.ts";

test("what one commit takes does not overlap, however much it is", () => {
  const buffer = new CommitBuffer();
  for (const commit of [1, 2]) {
    buffer.reset();
    const taken = [100, 5_000, 200_000, 100_000, 300_000, 7].map((bytes) => buffer.take(bytes));
    for (const [index, bytes] of taken.entries()) bytes.fill(commit * 10 + index);
    for (const [index, bytes] of taken.entries()) {
      expect(bytes.every((byte) => byte === commit * 10 + index)).toBe(true);
    }
    expect(taken.map(({ length }) => length)).toEqual([100, 5_000, 200_000, 100_000, 300_000, 7]);
  }
});

test("the next commit takes the same memory", () => {
  const buffer = new CommitBuffer();
  const first = buffer.take(1_000);
  buffer.reset();
  const second = buffer.take(1_000);
  expect([second.buffer, second.byteOffset]).toEqual([first.buffer, first.byteOffset]);
});
