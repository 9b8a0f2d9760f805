/** What strategic merge patches leave out of the values that they add. */

import { describe, expect, test } from "vitest";
import { named, schema } from "./strategic-merge.suite.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

describe("values that are added, since 1.27", () => {
  const cases: { why: string; document: Record<string, unknown>; patch: unknown; result: unknown }[] = [
    {
      why: "lose their nulls at every depth",
      document: {},
      patch: {
        labels: { a: null, b: "1" },
        spec: { items: [{ name: "a", image: null, source: { a: null, b: "2" } }] },
      },
      result: { labels: { b: "1" }, spec: { items: [{ name: "a", source: { b: "2" } }] } },
    },
    {
      why: "lose objects that are directives",
      document: {},
      patch: { items: [{ name: "a" }, { $patch: "delete", name: "b" }], whole: { $patch: "replace", a: "1" } },
      result: { items: [{ name: "a" }] },
    },
    {
      why: "lose them in place of a value of another type, too",
      document: { raw: "text" },
      patch: { raw: { a: null, b: 1 } },
      result: { raw: { b: 1 } },
    },
    {
      why: "are no directives because of a null, which they lose",
      document: {},
      patch: { labels: { $patch: null, a: "1" } },
      result: { labels: { a: "1" } },
    },
    {
      why: "lose directives at every depth, but no nulls, where the patch gives their order",
      document: {},
      patch: {
        "$setElementOrder/items": named("a"),
        items: [{ name: "a", image: null, ports: [{ $patch: "merge" }] }],
      },
      result: { items: [{ name: "a", image: null, ports: [] }] },
    },
    {
      why: "are not made of a list of deletions that is not a list",
      document: { words: ["a"] },
      patch: { "$deleteFromPrimitiveList/words": "a" },
      result: { words: ["a"] },
    },
  ];
  for (const { why, document, patch, result } of cases) {
    test(why, () => expect(applyStrategicMerge(schema, document, patch, { cleansAdded: true })).toEqual(result));
  }
});
