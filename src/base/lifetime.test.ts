import { expect, test } from "vitest";
import { Lifetime, openWith } from "./lifetime.ts";

function recorder() {
  const closed: string[] = [];
  const thing = (name: string, close: () => unknown = () => undefined) => ({
    close() {
      closed.push(name);
      return close();
    },
  });
  return { closed, thing };
}

test("things are closed in reverse order, one after the other, and once", async () => {
  const { closed, thing } = recorder();
  const lifetime = new Lifetime();
  lifetime.use(thing("store"));
  lifetime.use(thing("cache", async () => void closed.push("cache is closed")));
  lifetime.onClose(() => closed.push("requests"));
  expect(lifetime.use(undefined)).toBeUndefined();
  await Promise.all([lifetime.close(), lifetime.close()]);
  expect(closed).toEqual(["requests", "cache", "cache is closed", "store"]);
});

test("a failure to close one thing does not keep the others open", async () => {
  const { closed, thing } = recorder();
  const lifetime = new Lifetime();
  lifetime.use(thing("store"));
  lifetime.use(thing("cache", () => Promise.reject(new Error("stuck"))));
  await expect(lifetime.close()).rejects.toThrow("stuck");
  expect(closed).toEqual(["cache", "store"]);
});

test("what was opened before a failure is closed, and the failure goes on", async () => {
  const { closed, thing } = recorder();
  const opening = openWith(async (lifetime) => {
    lifetime.use(thing("store", () => Promise.reject(new Error("second"))));
    throw new Error("first");
  });
  await expect(opening).rejects.toThrow("first");
  expect(closed).toEqual(["store"]);
});

test("nothing can be added to a lifetime that has ended", async () => {
  const lifetime = new Lifetime();
  await lifetime.close();
  expect(lifetime.isClosed).toBe(true);
  expect(() => lifetime.onClose(() => undefined)).toThrow("the lifetime has ended");
});
