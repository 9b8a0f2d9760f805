import { expect, test } from "vitest";
import { LruMap } from "./lru-map.ts";

test("the least recently used entry is removed for a new one", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([1, undefined, 3, 2]);
});

test("replacing a value removes no other entry", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect([map.get("b"), map.get("a")]).toEqual([2, 3]);
});
