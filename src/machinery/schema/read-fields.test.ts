import fc from "fast-check";
import { expect, test } from "vitest";
import { bool, elided, type Fields, int32, list, map, nullable, optional, quantity, string, struct } from "./build.ts";
import { decodeObject, readsBeforeUnrolled } from "./decode.ts";
import { readField, unrolled } from "./read-fields.ts";
import type { StructSchema } from "./schema.ts";

const Inner = struct("test.v1.Inner", { name: string(), note: elided(string()) });
const fields: Fields = {
  name: elided(string()),
  count: int32(),
  isOn: optional(bool()),
  until: nullable(string()),
  amount: elided(quantity()),
  inner: elided(Inner),
  items: list(Inner),
  labels: elided(map(string())),
  constructor: elided(string()),
  'say "hi"\u2028': elided(string()),
  valueOf: string(),
};
const fresh = (): StructSchema => struct("test.v1.Test", fields).schema as StructSchema; // made by `struct`

/** A schema that has been read so often that the next read is unrolled. */
function warm(): StructSchema {
  const schema = fresh();
  for (let read = 0; read < readsBeforeUnrolled; read++) decodeObject(schema, {});
  return schema;
}

/** The text shows the order of the members as well. */
function outcome(schema: StructSchema, value: unknown): string {
  try {
    return JSON.stringify(decodeObject(schema, value));
  } catch (error) {
    return String(error);
  }
}

const values = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, "", "text", 0, 7, 2 ** 40, true, false, "1Gi", [], {}, [null], [{}]),
  fc.constantFrom<unknown>({ name: "a" }, { name: 1 }, [{ name: "a" }, { note: 2 }], { a: "b", __proto__: null }),
);
const objects = fc.dictionary(fc.constantFrom(...Object.keys(fields), "other"), values, { maxKeys: 8 });

test("a struct that was read often gives the same objects and the same errors", () => {
  const often = warm();
  fc.assert(
    fc.property(objects, (value) => {
      expect(outcome(often, value)).toBe(outcome(fresh(), value));
    }),
  );
});

test("members that an object inherits are not read", () => {
  expect(decodeObject(warm(), {})).toEqual({
    count: 0,
    until: null,
    amount: "0",
    items: null,
    inner: { name: "" },
    valueOf: "",
  });
});

test("an error names the field, also inside a list", () => {
  expect(outcome(warm(), { items: [{ name: "a" }, { name: 3 }] })).toMatch(/items\[1\]\.name/);
  expect(outcome(warm(), { 'say "hi"\u2028': 3 })).toMatch(/say "hi"/);
});

test("each field is read once, in the declared order", () => {
  const seen: string[] = [];
  const plans = ["b", "a", "toString"].map((name) => ({
    name,
    read: (value: unknown) => seen.push(`${name} ${value}`),
    absent: undefined,
    inherited: name in Object.prototype,
  }));
  const tally = { members: 0, isInFinal: false };
  const [one, other] = [{}, {}];
  unrolled(plans)?.({ a: 1, b: 2 }, one, tally);
  for (const plan of plans) readField(plan, { a: 1, b: 2 }, other, tally);
  expect(seen).toEqual(["b 2", "a 1", "b 2", "a 1"]);
  expect(Object.keys(one)).toEqual(Object.keys(other));
});
