import { expect, test } from "vitest";
import { copyJson, deepFreeze } from "../json/json-value.ts";
import { elided, int32, list, map, optional, string, struct } from "./build.ts";
import { dropGated } from "./gated.ts";
import type { StructSchema } from "./schema.ts";

const Part = struct("toys.v1.Part", {
  name: string().at(1),
  color: optional(string()).at(2).behind("IndexedJob"),
  mount: optional(string()).at(3).behind("ProcMountType", { becomes: "Default" }),
});
const Wheel = struct("toys.v1.Wheel", { size: optional(int32()).at(1), signal: optional(string()).at(2) });
const Toy = struct("toys.v1.Toy", {
  parts: elided(list(Part)).at(1),
  named: elided(map(Part)).at(2),
  shape: optional(string()).at(3).behind("IndexedJob"),
  owner: optional(string()).at(4).behind("IndexedJob", { keeps: "field" }),
  secret: optional(string()).at(5).behind("IndexedJob", { keeps: "nothing" }),
  paused: optional(int32())
    .at(6)
    .behind("SuspendJob", { unused: [0] }),
  addresses: elided(list(string())).at(7).behind("IPv6DualStack", { most: 1 }),
  wheel: optional(Wheel).at(8).behind("EnvFiles", { member: "signal", dropsEmptied: true }),
  spare: optional(Wheel).at(9),
});

const dropped = (given: object, before?: object, on: readonly string[] = []) => {
  const object = copyJson(given) as Record<string, unknown>;
  const drop = dropGated(Toy.schema as StructSchema, { enabled: (gate) => on.includes(gate) }, () => true);
  drop(object, before && (deepFreeze(copyJson(before)) as Record<string, unknown>));
  return object;
};

const cases: readonly { why: string; given: object; before?: object; on?: string[]; left: object }[] = [
  { why: "a gate that is on keeps its fields", given: { shape: "a" }, on: ["IndexedJob"], left: { shape: "a" } },
  {
    why: "a new object loses them, in lists and maps too",
    given: { shape: "a", parts: [{ name: "x", color: "red" }], named: { k: { color: "red" } } },
    left: { parts: [{ name: "x" }], named: { k: {} } },
  },
  {
    why: "any field of the feature keeps all of them",
    given: { shape: "a", named: { k: { color: "red" } } },
    before: { parts: [{ color: "blue" }] },
    left: { shape: "a", named: { k: { color: "red" } } },
  },
  {
    why: "another field does not keep one that only keeps itself",
    given: { owner: "a" },
    before: { shape: "a" },
    left: {},
  },
  {
    why: "a field that was there before keeps itself",
    given: { owner: "b" },
    before: { owner: "a" },
    left: { owner: "b" },
  },
  { why: "some fields are never kept", given: { secret: "b" }, before: { secret: "a" }, left: {} },
  {
    why: "a value becomes the one that stands for none",
    given: { parts: [{ mount: "Unmasked" }] },
    before: { parts: [{ mount: "Default" }] },
    left: { parts: [{ mount: "Default" }] },
  },
  {
    why: "what does not use the feature stays, and gets no other value",
    given: { paused: 1 },
    before: { paused: 0 },
    left: { paused: 0 },
  },
  { why: "what used the feature may change", given: { paused: 0 }, before: { paused: 1 }, left: { paused: 0 } },
  {
    why: "a list keeps its first item",
    given: { addresses: ["a", "b"] },
    before: { addresses: ["a"] },
    left: { addresses: ["a"] },
  },
  {
    why: "a list that had more keeps all",
    given: { addresses: ["a", "b"] },
    before: { addresses: ["a", "c"] },
    left: { addresses: ["a", "b"] },
  },
  {
    why: "a member goes, and its field with it if nothing else is there",
    given: { wheel: { signal: "a" }, spare: { signal: "a" } },
    left: { spare: { signal: "a" } },
  },
  {
    why: "a member goes alone if there is more",
    given: { wheel: { signal: "a", size: 1 } },
    left: { wheel: { size: 1 } },
  },
];

test.each(cases)("$why", ({ given, before, on, left }) => {
  expect(dropped(given, before, on)).toEqual(left);
});

test("a field that only new objects lose may come with an update", () => {
  const schema = struct("toys.v1.Box", {
    features: optional(string()).at(1).behind("EnvFiles", { onlyNew: true }),
  }).schema;
  const drop = dropGated(schema as StructSchema, { enabled: () => false }, () => true);
  const [made, changed] = [{ features: "a" }, { features: "a" }];
  drop(made, undefined);
  drop(changed, {});
  expect([made, changed]).toEqual([{}, { features: "a" }]);
});

test("a value uses the feature or not, and one that does goes whole", () => {
  const Source = struct("toys.v1.Source", { kind: string().at(1), namespace: optional(string()).at(2) });
  const spec = struct("toys.v1.Spec", { source: optional(Source).at(1) });
  const uses = (source: object) => "namespace" in source;
  const schema = struct("toys.v1.Crate", {
    spec: optional(spec).at(1).behind("EnvFiles", { member: "source", uses, becomes: undefined }),
  }).schema;
  const drop = dropGated(schema as StructSchema, { enabled: () => false }, () => true);
  const [own, far, other] = [{ kind: "a" }, { kind: "a", namespace: "b" }, { kind: "c", namespace: "d" }];
  const left = (source: object, before?: object) => {
    const object = { spec: { source } };
    drop(object, before === undefined ? undefined : { spec: { source: before } });
    return object.spec.source;
  };
  expect([left(own), left(far), left(far, own), left(other, far)]).toEqual([own, undefined, undefined, other]);
});

test("what an object shares with the one before is left alone", () => {
  const before = deepFreeze({ parts: [{ name: "x", mount: "Default" }], paused: 0 });
  const drop = dropGated(Toy.schema as StructSchema, { enabled: () => false }, () => true);
  const object = { parts: [...before.parts, { name: "y", mount: "Unmasked" }], paused: before.paused };
  drop(object, before);
  expect(object.parts.map(({ mount }) => mount)).toEqual(["Default", "Default"]);
});

test("only the members that are walked lose fields", () => {
  const drop = dropGated(Toy.schema as StructSchema, { enabled: () => false }, (member) => member === "named");
  const object = { shape: "a", named: { k: { color: "red" } } };
  drop(object, undefined);
  expect(object).toEqual({ shape: "a", named: { k: {} } });
});
