import { expect, test } from "vitest";
import { createKeyedMutex } from "./keyed-mutex.ts";

test("work for one key runs one after the other, also after a failure; other keys do not wait", async () => {
  const mutex = createKeyedMutex();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = mutex.run("a", async () => {
    await held;
    done.push("first");
    throw new Error("lost");
  });
  const second = mutex.run("a", async () => done.push("second"));
  await mutex.run("b", async () => done.push("other"));
  release();
  await expect(first).rejects.toThrow("lost");
  await second;
  expect(done).toEqual(["other", "first", "second"]);
});

test("work that is cancelled lets the next one begin", async () => {
  const mutex = createKeyedMutex();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = mutex.run("a", async (leave) => {
    leave();
    await held;
    done.push("first");
  });
  await mutex.run("a", async () => done.push("second"));
  release();
  await first;
  expect(done).toEqual(["second", "first"]);
});
