import { expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

/** Notes the steps; those in `waits` take until the promise there is resolved. */
function noting(waits: Readonly<Record<string, Promise<void>>> = {}) {
  const log: string[] = [];
  const take = (step: string, end: string) => {
    log.push(step + end);
    return waits[step];
  };
  return { log, take };
}

test("steps that do not wait are taken at once", () => {
  const { log, take } = noting();
  expect(inOrder(["a", "b"], take, "!")).toBeUndefined();
  expect(log).toEqual(["a!", "b!"]);
});

test("after a step that waits the others follow when it is done", async () => {
  let end = () => {};
  const { log, take } = noting({ b: new Promise((resolve) => (end = resolve)) });
  const taken = inOrder(["a", "b", "c"], take, "");
  expect(log).toEqual(["a", "b"]);
  end();
  await taken;
  expect(log).toEqual(["a", "b", "c"]);
});

test("no step follows one that fails, at once or later", async () => {
  const { log, take } = noting({ a: Promise.reject(new Error("late")) });
  await expect(inOrder(["a", "b"], take, "")).rejects.toThrow("late");
  const fail = () => {
    throw new Error("now");
  };
  expect(() => inOrder([1, 2], fail, "")).toThrow("now");
  expect(log).toEqual(["a"]);
});

test("it may begin in the middle", () => {
  const { log, take } = noting();
  inOrder(["a", "b"], take, "", 1);
  expect(log).toEqual(["b"]);
});
