import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyTree, type Tree, treeDelete, treeGet, treeRank, treeSet, treeSlice } from "./tree.ts";

test("a tree behaves as a sorted map, and older trees stay as they were", () => {
  const key = fc.nat({ max: 400 }).map((number) => `k${number}`);
  const step = fc.record({ key, remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1_500, size: "max" }), (steps) => {
      let tree: Tree<string> = emptyTree;
      const model = new Map<string, string>();
      const kept: { tree: Tree<string>; keys: string[] }[] = [];
      for (const [index, { key, remove }] of steps.entries()) {
        tree = remove ? treeDelete(tree, key) : treeSet(tree, key, key);
        if (remove) model.delete(key);
        else model.set(key, key);
        if (index % 97 === 0) kept.push({ tree, keys: [...model.keys()].sort() });
      }
      kept.push({ tree, keys: [...model.keys()].sort() });
      for (const { tree, keys } of kept) {
        expect(tree.size).toBe(keys.length);
        expect(treeSlice(tree, "", Number.POSITIVE_INFINITY)).toEqual(keys);
        for (const probe of ["", "k0", "k2", "k399", "z"]) {
          const from = keys.filter((other) => other >= probe);
          expect(treeRank(tree, probe)).toBe(keys.length - from.length);
          expect(treeSlice(tree, probe, 3)).toEqual(from.slice(0, 3));
          expect(treeGet(tree, probe)).toBe(keys.includes(probe) ? probe : undefined);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test("deleting nearly everything leaves a flat tree", () => {
  let tree: Tree<number> = emptyTree;
  const key = (index: number): string => String(index).padStart(6, "0");
  for (let index = 0; index < 20_000; index += 1) tree = treeSet(tree, key(index), index);
  for (let index = 0; index < 20_000; index += 1) if (index % 2_000 !== 0) tree = treeDelete(tree, key(index));
  expect(tree.size).toBe(10);
  let depth = 0;
  for (let node: Tree<number> | undefined = tree; node?.children !== undefined; node = node.children[0]) depth += 1;
  expect(depth).toBeLessThanOrEqual(2);
});
