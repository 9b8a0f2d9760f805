import { expect, test } from "vitest";
import { slowStart } from "./slow-start.ts";

test("batches grow until all work is done", async () => {
  const batches: number[][] = [];
  let open = false;
  const outcome = await slowStart([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], async (index) => {
    if (!open) batches.push([]);
    open = true;
    batches.at(-1)?.push(index);
    await Promise.resolve();
    open = false;
  });
  expect(outcome).toEqual({ done: 10 });
  expect(batches).toEqual([[0], [1, 2], [3, 4, 5, 6], [7, 8, 9]]);
});

test("after a failure no further batch begins", async () => {
  const begun: number[] = [];
  const failure = new Error("refused");
  const outcome = await slowStart(
    Array.from({ length: 100 }, (_, index) => index),
    async (index) => {
      begun.push(index);
      if (index === 2) throw failure;
    },
  );
  expect(begun).toEqual([0, 1, 2]);
  expect(outcome).toEqual({ done: 2, error: failure });
});
