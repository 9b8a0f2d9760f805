import { expect, test } from "vitest";
import { bytes, elided, list, map, optional, string, struct } from "./build.ts";
import { rememberEmptied, wasEmptied } from "./emptied.ts";
import type { StructSchema } from "./schema.ts";

const Inner = struct("example.v1.Inner", { words: elided(list(string())), seal: elided(bytes()) });
const schema = struct("example.v1.Outer", {
  metadata: elided(struct("example.v1.Meta", { labels: elided(map(string())) })),
  items: elided(list(Inner)),
  byName: elided(map(Inner)),
  one: optional(Inner),
  note: elided(string()),
  status: elided(Inner),
}).schema as StructSchema;

const cases: { why: string; value: unknown; emptied: boolean }[] = [
  { why: "nothing is given", value: {}, emptied: false },
  { why: "no object at all", value: null, emptied: false },
  { why: "an empty list", value: { items: [] }, emptied: true },
  { why: "null is no list", value: { items: null }, emptied: false },
  { why: "an empty map", value: { byName: {} }, emptied: true },
  { why: "an empty struct is a struct", value: { one: {} }, emptied: false },
  { why: "an empty text is a text", value: { note: "" }, emptied: false },
  { why: "empty bytes are a list of bytes", value: { one: { seal: "" } }, emptied: true },
  { why: "inside the items of a list", value: { items: [{ words: ["a"] }, { words: [] }] }, emptied: true },
  { why: "inside the values of a map", value: { byName: { __proto__: null, a: { words: [] } } }, emptied: true },
  { why: "metadata does not count", value: { metadata: { labels: {} } }, emptied: false },
  { why: "status does not count", value: { status: { words: [] } }, emptied: false },
  { why: "members nobody declared do not count", value: { more: [] }, emptied: false },
];
for (const { why, value, emptied } of cases) {
  test(`${emptied ? "remembered" : "not remembered"}: ${why}`, () => {
    const object = {};
    rememberEmptied(object, schema, value);
    expect(wasEmptied(object)).toBe(emptied);
  });
}
