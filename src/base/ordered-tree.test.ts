import fc from "fast-check";
import { expect, test } from "vitest";
import {
  emptyTree,
  type Tree,
  treeDelete,
  treeFrom,
  treeGet,
  treeRank,
  treeSet,
  treeSlice,
  treeVisit,
} from "./ordered-tree.ts";

function all<Value>(tree: Tree<Value>, from = ""): [string, Value][] {
  const found: [string, Value][] = [];
  treeVisit(tree, from, (value, key) => found.push([key, value]) > 0);
  return found;
}

const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${String(n).padStart(3, "0")}`);
const step = fc.oneof(fc.tuple(fc.constant("set"), key), fc.tuple(fc.constant("delete"), key));

test("has the same entries as a sorted map, after any sequence of writes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1_500, size: "max" }), key, key, (steps, from, end) => {
      const model = new Map<string, number>();
      let tree: Tree<number> = emptyTree;
      steps.forEach(([verb, at], index) => {
        if (verb === "set") {
          model.set(at, index);
          tree = treeSet(tree, at, index);
        } else {
          model.delete(at);
          tree = treeDelete(tree, at);
        }
      });
      const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(tree.size).toBe(sorted.length);
      expect(all(tree)).toEqual(sorted);
      expect(all(tree, from)).toEqual(sorted.filter(([at]) => at >= from));
      const between = sorted.filter(([at]) => at >= from && at < end).map(([, value]) => value);
      expect(treeSlice(tree, from, end, Number.POSITIVE_INFINITY)).toEqual(between);
      expect(treeSlice(tree, from, end, 3)).toEqual(between.slice(0, 3));
      expect(treeSlice(tree, from, end, 0)).toEqual([]);
      expect(treeRank(tree, from)).toBe(sorted.filter(([at]) => at < from).length);
      expect(treeGet(tree, from)).toBe(model.get(from));
    }),
    { numRuns: 60 },
  );
});

test("older trees stay as they were while newer ones are made", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1_000, size: "max" }), (steps) => {
      let tree: Tree<string> = emptyTree;
      const kept: { tree: Tree<string>; entries: [string, string][] }[] = [];
      for (const [index, [verb, at]] of steps.entries()) {
        tree = verb === "set" ? treeSet(tree, at, `${at}@${index}`) : treeDelete(tree, at);
        if (index % 97 === 0) kept.push({ tree, entries: all(tree) });
      }
      for (const { tree, entries } of kept) expect(all(tree)).toEqual(entries);
    }),
    { numRuns: 20 },
  );
});

test("a write does not change the tree it started from", () => {
  const before = treeFrom(
    Array.from({ length: 100 }, (_, n) => `k${String(n).padStart(3, "0")}`),
    Array.from({ length: 100 }, (_, n) => n),
  );
  const snapshot = all(before);
  const after = treeDelete(treeSet(before, "k050", -1), "k010");
  expect(all(before)).toEqual(snapshot);
  expect(after.size).toBe(99);
  expect(treeGet(after, "k050")).toBe(-1);
});

test("deleting a missing key returns the same tree", () => {
  const tree = treeSet(emptyTree as Tree<number>, "a", 1);
  expect(treeDelete(tree, "b")).toBe(tree);
});

test("a tree of sorted entries equals one built by writes", () => {
  for (const count of [0, 1, 24, 25, 600, 1_000]) {
    const keys = Array.from({ length: count }, (_, n) => `k${String(n).padStart(4, "0")}`);
    const built = treeFrom(
      keys,
      keys.map((_, n) => n),
    );
    expect(built.size).toBe(count);
    expect(all(built)).toEqual(keys.map((at, n) => [at, n]));
  }
});

test("deleting nearly everything leaves a flat tree", () => {
  const key = (index: number): string => String(index).padStart(6, "0");
  let tree: Tree<number> = emptyTree;
  for (let index = 0; index < 20_000; index += 1) tree = treeSet(tree, key(index), index);
  for (let index = 0; index < 20_000; index += 1) if (index % 2_000 !== 0) tree = treeDelete(tree, key(index));
  expect(tree.size).toBe(10);
  let depth = 0;
  for (let node: Tree<number> | undefined = tree; node?.children !== undefined; node = node.children[0]) depth += 1;
  expect(depth).toBeLessThanOrEqual(2);
});
