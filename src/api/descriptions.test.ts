import { describe, expect, test } from "vitest";
import type { Schema, StructSchema } from "../machinery/schema/schema.ts";
import { catalog } from "./catalog.ts";

/** Every struct that can be reached from a kind, by its name. */
function structs(): ReadonlyMap<string, StructSchema> {
  const found = new Map<string, StructSchema>();
  const visit = (schema: Schema): void => {
    if (schema.type === "list") visit(schema.items);
    else if (schema.type === "map") visit(schema.values);
    else if (schema.type === "json" && schema.inner) visit(schema.inner);
    else if (schema.type === "struct" && !found.has(schema.name)) {
      found.set(schema.name, schema);
      for (const field of schema.fields.values()) visit(field.schema);
    }
  };
  for (const { schema } of catalog) visit(schema);
  return found;
}

test("no field has the name of something that every object inherits: an absent one would look given", () => {
  const names = [...structs()].flatMap(([name, { fields }]) => [...fields.keys()].map((field) => ({ name, field })));
  expect(names.filter(({ field }) => field in {})).toEqual([]);
});

describe("descriptions of fields", () => {
  const described = [...structs()].flatMap(([name, { fields }]) =>
    [...fields].map(([field, { description }]) => ({ field: `${name}.${field}`, description })),
  );

  test("every field of every kind has one", () => {
    expect(described.length).toBeGreaterThan(2000);
    expect(described.filter(({ description }) => description === "").map(({ field }) => field)).toEqual([]);
  });

  test("each is one or more sentences", () => {
    const broken = described.filter(({ description }) => !/^[A-Za-z*$"].*\.$/s.test(description));
    expect(broken).toEqual([]);
  });

  test("none has a gap where a word is missing", () => {
    expect(described.filter(({ description }) => / [ ,;]/.test(description))).toEqual([]);
  });

  test("none names the product, since other vocabularies have other names", () => {
    expect(described.filter(({ description }) => /\borch\b|orch\.io|x-orch/i.test(description))).toEqual([]);
  });
});
