import { expect, test } from "vitest";
import { resolveSchema } from "./resolve-schema.ts";

const kind = { group: "example.com", version: "v1", kind: "Thing" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const document = (properties: object, more: object = {}) => ({
  components: {
    schemas: { Thing: { type: "object", properties, "x-orch-group-version-kind": [kind] }, ...more },
  },
});

test("references, lists and maps are followed, and what has no single type may be anything", () => {
  const part = { type: "object", properties: { n: { type: "integer", format: "int32" } } };
  const resolved = resolveSchema(
    document(
      {
        one: ref("Part"),
        described: { description: "d", allOf: [ref("Part")] },
        list: { type: "array", items: ref("Part") },
        map: { type: "object", additionalProperties: { type: "string" } },
        port: { oneOf: [{ type: "integer" }, { type: "string" }] },
        raw: { type: "object" },
        lost: ref("Nowhere"),
      },
      { Part: part },
    ),
    kind,
  );
  const any = { "x-orch-int-or-string": true };
  expect(resolved).toEqual({
    type: "object",
    properties: {
      one: part,
      described: part,
      list: { type: "array", items: part },
      map: { type: "object", additionalProperties: { type: "string" } },
      port: any,
      raw: any,
      lost: any,
    },
  });
});

test("a kind that is missing, or contains itself, has no schema", () => {
  expect(resolveSchema(document({}), { ...kind, kind: "Other" })).toBeUndefined();
  const node = { type: "object", properties: { next: ref("Node") } };
  expect(resolveSchema(document({ root: ref("Node") }, { Node: node }), kind)).toBeUndefined();
});
