import { expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.ts";
import { ObjectMetaStruct } from "../schema/object-meta.ts";
import type { StructSchema } from "../schema/schema.ts";
import { strictProblems } from "../schema/strict-fields.ts";
import { knownMembersOf } from "./known-members.ts";
import { SchemaPlan } from "./plan.ts";

const preserved = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const properties = {
  bare: { type: "object" },
  size: { type: "integer" },
  port: { "x-kubernetes-int-or-string": true },
  names: { type: "array", items: { type: "string" } },
  texts: { type: "object", additionalProperties: { type: "string" } },
  any: { type: "object", additionalProperties: true },
  open: { ...preserved, properties: { shut: { type: "object" } } },
  opens: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "object" } },
  loose: { "x-kubernetes-preserve-unknown-fields": true },
  pod: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
};

const metadata = ObjectMetaStruct.schema as StructSchema;
const schema: JsonSchema = { type: "object", properties: properties as Record<string, JsonSchema> };

function unknownIn(value: object, prunes = true): readonly string[] {
  const known = knownMembersOf(new SchemaPlan(schema, "x-kubernetes-"), { metadata, prunes });
  return strictProblems(JSON.stringify(value), known).map((problem) => problem.replace(/^unknown field "(.*)"$/, "$1"));
}

const cases = [
  { why: "a schema without properties knows no member", value: { bare: { a: 1, b: {} } }, found: ["bare.a", "bare.b"] },
  { why: "nor does that of a scalar", value: { size: { a: 1 }, port: { b: 1 } }, found: ["size.a", "port.b"] },
  { why: "items of a list where the schema has none", value: { size: [[{ a: 1 }]] }, found: ["size[0][0].a"] },
  { why: "an object among scalars", value: { names: ["n", { a: 1 }] }, found: ["names[1].a"] },
  { why: "values of a map", value: { texts: { k: { a: 1 } } }, found: ["texts.k.a"] },
  { why: "values of a map of anything are not known", value: { any: { k: { a: 1 } } }, found: ["any.k.a"] },
  {
    why: "preserved members may hold anything, declared ones not",
    value: { open: { a: { b: 1 }, shut: { c: 1 } } },
    found: ["open.shut.c"],
  },
  { why: "items of a preserved list", value: { opens: [{ a: 1 }], loose: [{ b: { c: 1 } }] }, found: [] },
  {
    why: "an embedded object has kind, apiVersion and metadata",
    value: { pod: { kind: "Pod", apiVersion: "v1", metadata: { name: "a", odd: 1 }, spec: { a: 1 }, status: {} } },
    found: ["pod.metadata.odd", "pod.spec.a", "pod.status"],
  },
  {
    why: "so does the whole",
    value: { kind: "Sample", apiVersion: "x/v1", metadata: { labels: { a: "b" }, odd: 1 }, more: {} },
    found: ["metadata.odd", "more"],
  },
];
for (const { why, value, found } of cases) test(why, () => expect(unknownIn(value)).toEqual(found));

test("where nothing is removed only metadata has unknown members", () => {
  expect(
    unknownIn({ metadata: { odd: 1 }, more: { a: 1 }, bare: { a: 1 }, pod: { metadata: { odd: 1 } } }, false),
  ).toEqual(["metadata.odd", "pod.metadata.odd"]);
});
