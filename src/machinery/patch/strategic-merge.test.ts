/** What strategic merge patches do to documents. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { StatusError } from "../status/status.ts";
import { named, schema } from "./strategic-merge.suite.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

const merge = (document: Record<string, unknown>, patch: unknown) => applyStrategicMerge(schema, document, patch);

describe("merging", () => {
  const cases: { why: string; document: Record<string, unknown>; patch: unknown; result: unknown }[] = [
    {
      why: "keys of maps merge, null deletes",
      document: { labels: { a: "1", b: "2" } },
      patch: { labels: { a: null, c: "3" } },
      result: { labels: { b: "2", c: "3" } },
    },
    {
      why: "a new map keeps its nulls",
      document: {},
      patch: { labels: { a: null } },
      result: { labels: { a: null } },
    },
    {
      why: "items are found by key",
      document: {
        items: [
          { name: "a", image: "1" },
          { name: "b", image: "1" },
        ],
      },
      patch: { items: [{ name: "b", image: "2" }] },
      result: {
        items: [
          { name: "a", image: "1" },
          { name: "b", image: "2" },
        ],
      },
    },
    {
      why: "new items come first",
      document: { items: named("a", "b") },
      patch: { items: named("c") },
      result: { items: named("c", "a", "b") },
    },
    {
      why: "the patch determines the order of the items that it names",
      document: { items: named("a", "b", "c") },
      patch: { items: named("c", "a") },
      result: { items: named("b", "c", "a") },
    },
    {
      why: "two patch items with the same key change one item",
      document: { items: named("a") },
      patch: {
        items: [
          { name: "x", image: "1" },
          { name: "x", args: ["2"] },
        ],
      },
      result: { items: [{ name: "x", image: "1", args: ["2"] }, { name: "a" }] },
    },
    {
      why: "lists in items merge by their own key",
      document: { items: [{ name: "a", ports: [{ port: 1, word: "x" }, { port: 2 }] }] },
      patch: { items: [{ name: "a", ports: [{ port: 2, word: "y" }] }] },
      result: {
        items: [
          {
            name: "a",
            ports: [
              { port: 1, word: "x" },
              { port: 2, word: "y" },
            ],
          },
        ],
      },
    },
    {
      why: "lists without a strategy are replaced",
      document: { items: [{ name: "a", args: ["1", "2"] }] },
      patch: { items: [{ name: "a", args: ["3"] }] },
      result: { items: [{ name: "a", args: ["3"] }] },
    },
    {
      why: "scalars are united",
      document: { words: ["a", "b"] },
      patch: { words: ["c", "a"] },
      result: { words: ["c", "a", "b"] },
    },
    {
      why: "an empty list changes nothing",
      document: { items: named("a") },
      patch: { items: [] },
      result: { items: named("a") },
    },
    {
      why: "a struct may be declared to be replaced",
      document: { whole: { a: "1" } },
      patch: { whole: { b: "2" } },
      result: { whole: { b: "2" } },
    },
    {
      why: "a value of another type replaces",
      document: { labels: { a: "1" } },
      patch: { labels: "text" },
      result: { labels: "text" },
    },
    { why: "null changes nothing", document: { words: ["a"] }, patch: null, result: { words: ["a"] } },
  ];
  for (const { why, document, patch, result } of cases) test(why, () => expect(merge(document, patch)).toEqual(result));
});

describe("directives", () => {
  const cases: { why: string; document: Record<string, unknown>; patch: unknown; result: unknown }[] = [
    {
      why: "$patch delete removes an item",
      document: { items: named("a", "b") },
      patch: { items: [{ name: "a", $patch: "delete" }] },
      result: { items: named("b") },
    },
    {
      why: "$patch delete of a missing item does nothing",
      document: { items: named("a") },
      patch: { items: [{ name: "z", $patch: "delete" }] },
      result: { items: named("a") },
    },
    {
      why: "$patch replace in an element replaces the list",
      document: { items: named("a", "b") },
      patch: { items: [{ $patch: "replace" }, { name: "c" }] },
      result: { items: named("c") },
    },
    {
      why: "$patch replace in a map",
      document: { labels: { a: "1" } },
      patch: { labels: { $patch: "replace", b: "2" } },
      result: { labels: { b: "2" } },
    },
    {
      why: "$patch delete in a map",
      document: { labels: { a: "1" } },
      patch: { labels: { $patch: "delete" } },
      result: { labels: {} },
    },
    {
      why: "$retainKeys drops other members",
      document: { items: [{ name: "a", image: "1", source: { a: "1" } }] },
      patch: { items: [{ $retainKeys: ["name", "source"], name: "a", source: { b: "2" } }] },
      result: { items: [{ name: "a", source: { a: "1", b: "2" } }] },
    },
    {
      why: "$deleteFromPrimitiveList",
      document: { words: ["a", "b", "c"] },
      patch: { "$deleteFromPrimitiveList/words": ["b", "z"] },
      result: { words: ["a", "c"] },
    },
    {
      why: "$deleteFromPrimitiveList of a missing list",
      document: {},
      patch: { "$deleteFromPrimitiveList/words": ["b"] },
      result: {},
    },
    {
      why: "$setElementOrder reorders",
      document: { items: named("a", "b") },
      patch: { "$setElementOrder/items": named("b", "a") },
      result: { items: named("b", "a") },
    },
    {
      why: "$setElementOrder keeps the rest in place",
      document: { items: named("c", "d", "e", "f") },
      patch: { "$setElementOrder/items": named("e", "c") },
      result: { items: named("d", "e", "c", "f") },
    },
    {
      why: "$setElementOrder with changes and a deletion",
      document: { items: named("c", "d", "e") },
      patch: {
        "$setElementOrder/items": named("n", "e", "c"),
        items: [{ name: "n" }, { name: "d", $patch: "delete" }],
      },
      result: { items: named("n", "e", "c") },
    },
    {
      why: "$setElementOrder of scalars",
      document: { words: ["a", "b"] },
      patch: { "$setElementOrder/words": ["b", "c", "a"], words: ["c"] },
      result: { words: ["b", "c", "a"] },
    },
    {
      why: "$setElementOrder of an empty list",
      document: {},
      patch: { "$setElementOrder/items": named("a") },
      result: {},
    },
    {
      why: "a new list ignores its deletions",
      document: {},
      patch: { "$setElementOrder/items": named("a"), items: [{ name: "a" }, { name: "b", $patch: "delete" }] },
      result: { items: named("a") },
    },
  ];
  for (const { why, document, patch, result } of cases) test(why, () => expect(merge(document, patch)).toEqual(result));
});

describe("refusals", () => {
  const document = {
    items: named("a"),
    others: [],
    words: ["a"],
    labels: { a: "1" },
    lists: { a: ["x"] },
    raw: { a: { b: 1 } },
    plain: [{ a: "1" }],
  };
  const cases: { why: string; patch: unknown; code: number }[] = [
    { why: "a list", patch: [], code: 400 },
    { why: "a text", patch: "x", code: 400 },
    { why: "an item without its key", patch: { items: [{ image: "1" }] }, code: 422 },
    { why: "an item whose key is an object", patch: { items: [{ name: {} }] }, code: 422 },
    { why: "a deletion without its key", patch: { items: [{ $patch: "delete" }] }, code: 422 },
    { why: "a null item", patch: { items: [null] }, code: 422 },
    { why: "a list as item", patch: { items: [[]] }, code: 422 },
    { why: "a text in an empty list of objects", patch: { others: ["a"] }, code: 422 },
    { why: "a text among objects", patch: { items: ["a"] }, code: 422 },
    { why: "objects without a merge key", patch: { plain: [{ a: "2" }] }, code: 422 },
    { why: "$patch merge", patch: { labels: { $patch: "merge" } }, code: 422 },
    { why: "$patch of another type", patch: { labels: { $patch: true } }, code: 422 },
    { why: "an unknown $patch in an item", patch: { items: [{ name: "a", $patch: "explode" }] }, code: 422 },
    { why: "a replacement with an item without its key", patch: { items: [{ $patch: "replace" }, {}] }, code: 422 },
    {
      why: "$setElementOrder that ends before the last directive",
      patch: { "$setElementOrder/items": named("a"), items: [{ name: "a" }, { $patch: "replace" }] },
      code: 422,
    },
    { why: "$retainKeys that is not a list", patch: { labels: { $retainKeys: "a" } }, code: 400 },
    { why: "$retainKeys that leaves out what is set", patch: { labels: { $retainKeys: ["a"], b: "2" } }, code: 400 },
    { why: "$deleteFromPrimitiveList of nothing", patch: { $deleteFromPrimitiveList: ["a"] }, code: 400 },
    { why: "$setElementOrder that is not a list", patch: { "$setElementOrder/items": {} }, code: 400 },
    {
      why: "$setElementOrder that lacks a changed item",
      patch: { "$setElementOrder/items": named("a"), items: named("b") },
      code: 422,
    },
    {
      why: "$setElementOrder of the prototype",
      patch: { "$setElementOrder/__proto__": [], ["__proto__"]: [] },
      code: 422,
    },
    { why: "lists in a map", patch: { lists: { a: ["y"] } }, code: 422 },
    { why: "objects inside plain JSON", patch: { raw: { a: { c: 1 } } }, code: 422 },
  ];
  for (const { why, patch, code } of cases) {
    test(why, () => {
      try {
        merge(document, patch);
      } catch (problem) {
        expect((problem as StatusError).code).toBe(code);
        return;
      }
      expect.unreachable();
    });
  }
});

test("a list that is replaced has the items of one key together", () => {
  const items = [{ $patch: "replace" }, { name: "b" }, { name: "a" }, { name: "b", image: "2" }];
  expect(merge({ items: named("x") }, { items })).toEqual({
    items: [{ name: "b" }, { name: "b", image: "2" }, { name: "a" }],
  });
});

test("an empty order turns a new list around", () => {
  expect(merge({}, { "$setElementOrder/words": [], words: ["a", "b", "c"] })).toEqual({ words: ["c", "b", "a"] });
});

test("items of a new list with a merge key must be objects, if it has an order", () => {
  expect(() => merge({}, { "$setElementOrder/items": ["a"], items: ["a"] })).toThrow("merge key");
});

test("an order of an empty list of objects needs no merge key", () => {
  const patch = { "$setElementOrder/plain": [], plain: [{ $patch: "replace" }] };
  expect(merge({}, patch)).toEqual({ plain: [] });
});

test("names of the prototype are members like any other", () => {
  const result = merge(
    { labels: {} },
    JSON.parse('{"__proto__":{"x":1},"labels":{"__proto__":"1","constructor":"2"}}'),
  );
  expect(JSON.stringify(result)).toBe('{"labels":{"__proto__":"1","constructor":"2"},"__proto__":{"x":1}}');
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("a list of ten thousand items is merged and ordered without comparing every pair", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
  const document = { items: named(...names), words: names };
  const spentMs = measureWork();
  const order = [...names].reverse();
  const result = merge(document, { "$setElementOrder/items": named(...order), items: named(...order), words: order });
  expect(result).toEqual({ items: named(...order), words: order });
  merge(document, {
    items: names.map((name) => ({ name, $patch: "delete" })),
    "$deleteFromPrimitiveList/words": names,
  });
  expect(spentMs()).toBeLessThan(3_000);
});

const items = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e"), image: fc.constantFrom("1", "2") }),
  { selector: (item) => item.name },
);

test("merging lists keeps everything, takes the patch's values and order, and is idempotent", () => {
  fc.assert(
    fc.property(items, items, (original, patch) => {
      const merged = merge({ items: original }, { items: patch })["items"] as { name: string; image: string }[];
      expect(new Set(merged.map((item) => item.name))).toEqual(
        new Set([...original, ...patch].map((item) => item.name)),
      );
      const inPatch = new Set<string>(patch.map((item) => item.name));
      expect(merged.filter((item) => inPatch.has(item.name))).toEqual(patch);
      expect(merged.filter((item) => !inPatch.has(item.name))).toEqual(
        original.filter((item) => !inPatch.has(item.name)),
      );
      expect(merge({ items: merged }, { items: patch })).toEqual({ items: merged });
    }),
  );
});

const anything = fc.jsonValue({ maxDepth: 3 });
const hostile = fc.dictionary(
  fc.constantFrom(
    "items",
    "words",
    "labels",
    "$patch",
    "$retainKeys",
    "$setElementOrder/items",
    "$deleteFromPrimitiveList/words",
    "__proto__",
    "raw",
  ),
  fc.oneof(
    anything,
    items,
    fc.array(
      fc.dictionary(fc.constantFrom("name", "$patch", "image"), fc.constantFrom("a", "delete", "replace", null)),
    ),
  ),
);
test("any patch either merges or is refused with a 4xx", () => {
  fc.assert(
    fc.property(hostile, (patch) => {
      try {
        merge({ items: named("a", "b"), words: ["x"], labels: { a: "1" } }, patch);
      } catch (problem) {
        expect(problem).toBeInstanceOf(StatusError);
      }
    }),
  );
});
