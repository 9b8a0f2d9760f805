import { expect, test } from "vitest";
import { LazyMap } from "./lazy-map.ts";

test("a value is made once, when it is first read, and names without one are not in the map", () => {
  const made: string[] = [];
  const map = new LazyMap(
    () => ["a", "b", "c"],
    (name) => {
      made.push(name);
      return "ab".includes(name) ? name.toUpperCase() : undefined;
    },
  );
  expect(made).toEqual([]);
  expect([map.get("b"), map.get("b"), map.has("x")]).toEqual(["B", "B", false]);
  expect(made).toEqual(["b", "x"]);
  expect([...map]).toEqual([
    ["a", "A"],
    ["b", "B"],
  ]);
  expect([[...map.keys()], [...map.values()], map.size]).toEqual([["a", "b"], ["A", "B"], 2]);
  const seen: string[] = [];
  map.forEach((value, name) => {
    seen.push(name + value);
  });
  expect(seen).toEqual(["aA", "bB"]);
});
