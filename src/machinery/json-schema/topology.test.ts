import { describe, expect, test } from "vitest";
import { toFieldSet } from "../apply/to-field-set.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { SchemaPlan } from "./plan.ts";
import { topologyOf } from "./topology.ts";

const keeps = { "x-orch-preserve-unknown-fields": true };

function owned(schema: object | undefined, value: object, keepsUnknown = false, deducesPreserved = false): unknown {
  const plan = schema && new SchemaPlan({ type: "object", properties: schema } as JsonSchema, "x-orch-");
  return toFieldSet(topologyOf(plan, { name: "Sample", description: "", keepsUnknown, deducesPreserved }), value);
}

describe("the owned fields of a custom object", () => {
  test("with a schema are members, items of sets and maps, and atomic values", () => {
    const schema = {
      spec: {
        type: "object",
        properties: {
          plain: { type: "array", items: { type: "string" } },
          set: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
          map: {
            type: "array",
            "x-orch-list-type": "map",
            "x-orch-list-map-keys": ["k", "p"],
            items: { type: "object", properties: { k: { type: "string" }, p: { type: "integer", default: 1 } } },
          },
          labels: { type: "object", additionalProperties: { type: "string" } },
          one: { type: "object", properties: { a: { type: "string" } }, "x-orch-map-type": "atomic" },
        },
      },
    };
    const spec = { plain: ["x"], set: ["a"], map: [{ k: "b" }], labels: { l: "m" }, one: { a: "1" } };
    expect(owned(schema, { spec })).toEqual({
      "f:spec": {
        "f:plain": {},
        "f:set": { 'v:"a"': {} },
        "f:map": { 'k:{"k":"b","p":1}': { ".": {}, "f:k": {} } },
        "f:labels": { "f:l": {} },
        "f:one": {},
      },
    });
  });

  test("in an object that preserves unknown fields are values without properties, and members at any depth with properties", () => {
    const schema = {
      bare: { type: "object", ...keeps },
      known: { type: "object", ...keeps, properties: { a: { type: "string" } } },
    };
    const value = { bare: { x: { y: 1 } }, known: { x: { y: 1 } } };
    expect(owned(schema, value)).toEqual({
      "f:bare": { "f:x": {} },
      "f:known": { "f:x": { ".": {}, "f:y": {} } },
    });
  });

  test("in a preserved value are members at any depth, where they are deduced", () => {
    const schema = { bare: { type: "object", ...keeps }, any: keeps, plain: { type: "object" } };
    const value = { bare: { x: { y: 1 } }, any: { z: { w: [1] } }, plain: { p: { q: 1 } } };
    expect(owned(schema, value, false, true)).toEqual({
      "f:bare": { "f:x": { ".": {}, "f:y": {} } },
      "f:any": { "f:z": { ".": {}, "f:w": {} } },
      "f:plain": { "f:p": {} },
    });
    expect(owned(schema, value)).toMatchObject({ "f:any": {} });
  });

  test("without a schema are all members", () => {
    expect(owned(undefined, { spec: { x: { y: [1] } } })).toEqual({
      "f:spec": { ".": {}, "f:x": { ".": {}, "f:y": {} } },
    });
  });

  test("are found by member also if there are very many of them, in the order of their names", () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    const list = { type: "array", "x-orch-list-type": "set", items: { type: "string" } };
    const schema = { spec: { type: "object", properties: { ...properties, list } } };
    expect(JSON.stringify(owned(schema, { spec: { p7: "a", p1999: "b", list: ["c"] } }))).toBe(
      JSON.stringify({ "f:spec": { "f:list": { 'v:"c"': {} }, "f:p1999": {}, "f:p7": {} } }),
    );
  });
});
