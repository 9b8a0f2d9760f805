import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("work of one key is done one after the other, also after a failure; other keys do not wait", async () => {
  const turns = createTurns();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = turns.take("a", async () => {
    await held;
    done.push("first");
    throw new Error("lost");
  });
  const second = turns.take("a", async () => done.push("second"));
  await turns.take("b", async () => done.push("other"));
  release();
  await expect(first).rejects.toThrow("lost");
  await second;
  expect(done).toEqual(["other", "first", "second"]);
});
