import { expect, test } from "vitest";
import { createLanes } from "./lanes.ts";

test("work of one key is done one after the other, also after a failure; other keys do not wait", async () => {
  const lanes = createLanes();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = lanes.take("a", async () => {
    await held;
    done.push("first");
    throw new Error("lost");
  });
  const second = lanes.take("a", async () => done.push("second"));
  await lanes.take("b", async () => done.push("other"));
  release();
  await expect(first).rejects.toThrow("lost");
  await second;
  expect(done).toEqual(["other", "first", "second"]);
});

test("work that leaves early lets the next one begin", async () => {
  const lanes = createLanes();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = lanes.take("a", async (leave) => {
    leave();
    await held;
    done.push("first");
  });
  await lanes.take("a", async () => done.push("second"));
  release();
  await first;
  expect(done).toEqual(["second", "first"]);
});
