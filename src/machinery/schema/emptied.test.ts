import { expect, test } from "vitest";
import { bytes, elided, list, map, optional, string, struct } from "./build.ts";
import { emptiedMembers, rememberEmptied } from "./emptied.ts";
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

const cases: { why: string; value: unknown; emptied: string[] }[] = [
  { why: "nothing is set", value: {}, emptied: [] },
  { why: "not an object", value: null, emptied: [] },
  { why: "an empty list", value: { items: [] }, emptied: ["items"] },
  { why: "null is not a list", value: { items: null }, emptied: [] },
  { why: "an empty map", value: { byName: {} }, emptied: ["byName"] },
  { why: "an empty struct is set", value: { one: {} }, emptied: [] },
  { why: "an empty text is set", value: { note: "" }, emptied: [] },
  { why: "empty bytes are a list of bytes", value: { one: { seal: "" } }, emptied: ["one"] },
  { why: "inside the items of a list", value: { items: [{ words: ["a"] }, { words: [] }] }, emptied: ["items"] },
  {
    why: "inside the values of a map, and a list beside it",
    value: { byName: { __proto__: null, a: { words: [] } }, items: [] },
    emptied: ["items", "byName"],
  },
  { why: "metadata does not count", value: { metadata: { labels: {} } }, emptied: [] },
  { why: "status does not count", value: { status: { words: [] } }, emptied: [] },
  { why: "undeclared members do not count", value: { more: [] }, emptied: [] },
];
for (const { why, value, emptied } of cases) {
  test(`${emptied.length > 0 ? "remembered" : "not remembered"}: ${why}`, () => {
    const object = {};
    rememberEmptied(object, schema, value);
    expect([...emptiedMembers(object)]).toEqual(emptied);
  });
}
