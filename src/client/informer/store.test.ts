import { expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import type { CachedObject } from "../contract.ts";
import { Store } from "./store.ts";

type Thing = { readonly values: readonly string[] };

const held = (object: Thing): CachedObject<Thing> => ({
  namespace: "n",
  name: "x",
  revision: "1",
  labels: new Map(),
  object: () => object,
});

test("an index follows the values of an object", () => {
  const store = new Store<Thing>(() => {});
  const index = store.index("values", ({ values }) => values);
  const [before, after] = [{ values: ["a", "b"] }, { values: ["b", "c"] }];
  store.put(held(before), before, undefined);
  store.put(held(after), after, before);
  expect(["a", "b", "c"].map((value) => index.count(value))).toEqual([0, 1, 1]);
  store.remove("n/x");
  expect(index.values()).toEqual([]);
});

test("an object with 40,000 values in an index costs as much as they are", () => {
  const values = Array.from({ length: 40_000 }, (_, at) => `value-${at}`);
  const store = new Store<Thing>(() => {});
  store.index("values", (thing) => thing.values);
  const object = { values };
  store.put(held(object), object, undefined);
  const spentMs = measureWork();
  store.put(held(object), object, object);
  // Each value against each other would take seconds.
  expect(spentMs()).toBeLessThan(500);
});
