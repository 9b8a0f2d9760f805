/** A kind with lists and maps of every merge strategy. */

import { elided, int32, json, list, map, optional, string, struct } from "../schema/build.ts";
import type { StructSchema } from "../schema/schema.ts";

const Item = struct("test.v1.Item", {
  name: string(),
  image: elided(string()),
  source: optional(struct("test.v1.Source", { a: elided(string()), b: elided(string()) })),
  ports: elided(
    list(struct("test.v1.Port", { port: int32(), word: elided(string()) }), {
      patchStrategy: "merge",
      patchMergeKey: "port",
    }),
  ),
  args: elided(list(string())),
});
export const schema = struct("test.v1.Root", {
  items: elided(list(Item, { patchStrategy: "merge,retainKeys", patchMergeKey: "name" })),
  others: elided(list(Item, { patchStrategy: "merge", patchMergeKey: "name" })),
  words: elided(list(string(), { patchStrategy: "merge" })),
  labels: elided(map(string())),
  lists: elided(map(list(string()))),
  whole: optional(struct("test.v1.Whole", { a: elided(string()), b: elided(string()) }, { patchStrategy: "replace" })),
  spec: optional(
    struct("test.v1.Spec", { items: elided(list(Item, { patchStrategy: "merge", patchMergeKey: "name" })) }),
  ),
  raw: optional(json()),
  plain: elided(list(struct("test.v1.Plain", { a: elided(string()) }), { patchStrategy: "merge" })),
}).schema as StructSchema;

export const named = (...names: string[]) => names.map((name) => ({ name }));
