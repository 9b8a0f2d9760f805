/** An added part is owned with everything in it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isObject } from "../json/json-value.ts";
import { elided, int32, json, list, map, string, struct } from "../schema/build.ts";
import type { Schema } from "../schema/schema.ts";
import { addedFields } from "./added.ts";
import { type FieldSet, pathsOf } from "./field-set.ts";
import { parseFields } from "./managed.ts";
import { grainAt, listPlan, memberSchema, memberToken, Unidentified } from "./topology.ts";

const Port = struct("Port", {
  port: elided(int32()).at(1),
  name: elided(string()).at(2),
  kind: elided(string()).at(3),
});
const Part = struct("Part", {
  name: elided(string()).at(1),
  ports: elided(list(Port, { topology: "map", keys: ["port"] })).at(2),
  words: elided(list(string(), { topology: "set" })).at(3),
  plain: elided(list(string())).at(4),
});
const Whole = struct("Whole", {
  zeta: elided(string()).at(1),
  labels: elided(map(string())).at(2),
  parts: elided(list(Part, { topology: "map", keys: ["name"] })).at(3),
  port: elided(Port).at(4),
  raw: elided(json("value")).at(5),
});

const word = fc.constantFrom("a", "b", "c", "__proto__", 'q"', "10", "9");
const port = fc.record({ port: fc.integer({ min: 1, max: 12 }), name: word, kind: word }, { requiredKeys: ["port"] });
const part = fc.record(
  {
    ports: fc.uniqueArray(port, { selector: (one) => one.port, maxLength: 3 }),
    words: fc.uniqueArray(word, { maxLength: 3 }),
    plain: fc.array(word, { maxLength: 2 }),
    name: word,
  },
  { requiredKeys: ["name"] },
);
const value = fc.record(
  {
    raw: fc.jsonValue({ maxDepth: 2 }),
    parts: fc.uniqueArray(part, { selector: (one) => one.name, maxLength: 3 }),
    zeta: fc.constantFrom("", "z", null, undefined),
    port,
    labels: fc.dictionary(word, word, { maxKeys: 3 }),
    undeclared: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
);

/** A simple reference implementation: every part is a field, and so is everything in it. */
function* plainPaths(schema: Schema, whole: unknown, path: readonly string[] = []): Generator<string> {
  if (path.length > 0) yield path.join(" ");
  const grain = grainAt(schema, whole, undefined);
  if (grain === "items" && schema.type === "list" && Array.isArray(whole)) {
    for (const item of whole) yield* plainPaths(schema.items, item, [...path, listPlan(schema)?.tokenOf(item) ?? ""]);
  } else if (grain === "members" && isObject(whole)) {
    for (const [name, member] of Object.entries(whole)) {
      if (member !== undefined)
        yield* plainPaths(memberSchema(schema, name), member, [...path, memberToken(schema, name)]);
    }
  }
}

const texts = (set: FieldSet) => [...pathsOf(set)].map((steps) => steps.join(" ")).sort();

describe("the fields of an added part", () => {
  test("are all fields in it, in the order of printing", () => {
    fc.assert(
      fc.property(value, (object) => {
        const set = addedFields(Whole.schema, object);
        expect(texts(set)).toEqual([...plainPaths(Whole.schema, object)].sort());
        const { ".": _, ...steps } = set;
        expect(JSON.stringify(parseFields(steps))).toBe(JSON.stringify(steps));
      }),
    );
  });

  test("share one node among structs with the same scalar members", () => {
    const [a, b] = [addedFields(Port.schema, { port: 1, name: "a" }), addedFields(Port.schema, { name: "b", port: 2 })];
    expect(a).toBe(b);
    expect(Object.isFrozen(a)).toBe(true);
    expect(a).toEqual({ ".": {}, "f:name": {}, "f:port": {} });
  });

  test("cannot be determined if two items are equal", () => {
    expect(() => addedFields(Part.schema, { name: "a", words: ["x", "x"] })).toThrow(Unidentified);
  });
});
