import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/json-value.ts";
import { elided, list, optional, string, struct } from "../schema/build.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { createPatch, createThreeWayPatch } from "./create-patch.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

function structOf({ schema }: Field): StructSchema {
  if (schema.type !== "struct") throw new Error("not a struct");
  return schema;
}

const Volume = struct("test.Volume", {
  name: elided(string()).at(1),
  emptyDir: optional(struct("test.EmptyDir", { medium: elided(string()).at(1) })).at(2),
  configMap: optional(struct("test.Source", { name: elided(string()).at(1) })).at(3),
});
const Strategy = struct(
  "test.Strategy",
  { type: elided(string()).at(1), maxSurge: elided(string()).at(2) },
  { patchStrategy: "retainKeys" },
);
const Spec = structOf(
  struct("test.Spec", {
    volumes: elided(list(Volume, { patchStrategy: "merge,retainKeys", patchMergeKey: "name" })).at(1),
    finalizers: elided(list(string(), { patchStrategy: "merge" })).at(2),
    args: elided(list(string())).at(3),
    strategy: optional(Strategy).at(4),
  }),
);

describe("a patch from one object to another", () => {
  const cases: readonly { why: string; before: JsonObject; after: JsonObject; patch: JsonObject }[] = [
    { why: "equal objects need none", before: { args: ["a"] }, after: { args: ["a"] }, patch: {} },
    { why: "a plain list is replaced", before: { args: ["a"] }, after: { args: ["b"] }, patch: { args: ["b"] } },
    {
      why: "values are added to a set and removed from it",
      before: { finalizers: ["a", "b"] },
      after: { finalizers: ["b", "c"] },
      patch: {
        finalizers: ["c"],
        "$setElementOrder/finalizers": ["b", "c"],
        "$deleteFromPrimitiveList/finalizers": ["a"],
      },
    },
    {
      why: "an item that changes its source retains no other",
      before: { volumes: [{ name: "v", emptyDir: {} }] },
      after: { volumes: [{ name: "v", configMap: { name: "c" } }] },
      patch: {
        volumes: [{ name: "v", configMap: { name: "c" }, emptyDir: null, $retainKeys: ["configMap", "name"] }],
        "$setElementOrder/volumes": [{ name: "v" }],
      },
    },
    {
      why: "an item is removed by its key",
      before: { volumes: [{ name: "v" }, { name: "w" }] },
      after: { volumes: [{ name: "w" }] },
      patch: { volumes: [{ $patch: "delete", name: "v" }], "$setElementOrder/volumes": [{ name: "w" }] },
    },
  ];
  for (const { why, before, after, patch } of cases)
    test(why, () => {
      expect(createPatch(before, after, Spec)).toEqual(patch);
      expect(applyStrategicMerge(Spec, before, patch)).toEqual(after);
    });

  test("says the order of items that are only moved", () => {
    const [before, after] = [{ volumes: [{ name: "v" }, { name: "w" }] }, { volumes: [{ name: "w" }, { name: "v" }] }];
    const patch = createPatch(before, after, Spec);
    expect(patch).toEqual({ "$setElementOrder/volumes": [{ name: "w" }, { name: "v" }] });
    expect(applyStrategicMerge(Spec, before, patch)).toEqual(after);
  });

  test("is refused where an item has no key", () => {
    expect(() => createPatch({ volumes: [{ emptyDir: {} }] }, { volumes: [{}] }, Spec)).toThrow('merge key "name"');
  });

  test("without a schema replaces every list", () => {
    expect(createPatch({ volumes: [{ name: "v" }] }, { volumes: [] }, undefined)).toEqual({ volumes: [] });
  });
});

describe("a patch for a changed manifest", () => {
  test("replaces the source of a volume, also one that somebody else has set", () => {
    const original = { volumes: [{ name: "v", emptyDir: {} }] };
    const modified = { volumes: [{ name: "v", configMap: { name: "c" } }] };
    for (const source of [{ emptyDir: {} }, { emptyDir: { medium: "Memory" } }]) {
      const current = { volumes: [{ name: "v", ...source }], args: ["theirs"] };
      const patch = createThreeWayPatch({ original, modified, current }, Spec);
      expect(applyStrategicMerge(Spec, current, patch)).toEqual({ ...modified, args: ["theirs"] });
    }
  });

  test("removes the members of a union that exclude the new one, whoever set them", () => {
    const current = { strategy: { type: "RollingUpdate", maxSurge: "1" } };
    const patch = createThreeWayPatch({ original: {}, modified: { strategy: { type: "Recreate" } }, current }, Spec);
    expect(patch).toEqual({ strategy: { type: "Recreate", $retainKeys: ["type"] } });
    expect(applyStrategicMerge(Spec, current, patch)).toEqual({ strategy: { type: "Recreate" } });
  });

  test("removes what the manifest no longer has, also what is already gone", () => {
    const states = { original: { args: ["a"], finalizers: ["x"] }, modified: {}, current: { finalizers: ["x", "y"] } };
    expect(createThreeWayPatch(states, Spec)).toEqual({ args: null, finalizers: null });
    expect(createThreeWayPatch({ ...states, current: {} }, Spec)).toEqual({ args: null, finalizers: null });
  });

  test("says the order of items where somebody else has added some", () => {
    const volumes = [{ name: "v" }];
    const states = { original: { volumes }, modified: { volumes }, current: { volumes: [{ name: "w" }, ...volumes] } };
    const patch = createThreeWayPatch(states, Spec);
    expect(patch).toEqual({ "$setElementOrder/volumes": [{ name: "v" }] });
    expect(applyStrategicMerge(Spec, states.current, patch)).toEqual(states.current);
  });

  test("without a schema leaves out members that are null, and removes them", () => {
    const states = { original: {}, modified: { a: null, b: { c: null }, d: [{ e: null }] }, current: { a: 1, b: {} } };
    expect(createThreeWayPatch(states, undefined)).toEqual({ a: null, b: { c: null }, d: [{}] });
  });
});
