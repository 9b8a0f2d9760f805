import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { bool, choice, elided, int64, list, map, optional, string, struct } from "../schema/build.ts";
import { decodeObject } from "../schema/decode.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { decodeProtobuf, encodeProtobuf } from "./protobuf.ts";
import { decodeProtobufSteps, encodeProtobufSteps } from "./protobuf-steps.ts";

const Tree: Field = struct("test.v1.Tree", () => ({
  name: elided(string()).at(2),
  members: elided(map(Tree as Field<object, "required">)).at(1),
  all: elided(list(Tree as Field<object, "required">)).at(17),
  other: optional(Tree as Field<object, "required">).at(3),
  either: optional(choice("orBool", Tree as Field<object, "required">)).at(4),
  texts: elided(map(string())).at(5),
  words: elided(list(string())).at(6),
  size: optional(int64()).at(7),
  flag: elided(bool()).at(8),
}));
const schema = Tree.schema as StructSchema;

const leaf = (at: number) => ({ name: `n${at}`, size: at % 2 === 0 ? 2n ** 60n : at, flag: at % 3 === 0 });
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, make: (at: number) => unknown = leaf) =>
  Object.fromEntries(many(count, (at) => [`m${at}`, make(at)]));

const cases: Readonly<Record<string, object>> = {
  "a small one": { name: "x", members: members(3) },
  "a map of very many": { members: members(3_000) },
  "a list of very many": { all: many(3_000, leaf) },
  "maps in maps": { members: members(40, () => ({ members: members(60) })) },
  "a deep one": many(60, (at) => at).reduce<object>((inner, at) => ({ name: `d${at}`, other: inner }), {
    members: members(1_000),
  }),
  "a choice and texts": {
    either: { members: members(1_000) },
    texts: members(2_000, String),
    words: many(3_000, String),
  },
  "names that objects inherit": JSON.parse(
    `{"members":{"__proto__":{"members":${JSON.stringify(members(900, () => ({})))}}}}`,
  ),
};

describe("large messages", () => {
  for (const [name, given] of Object.entries(cases)) {
    test(`${name}: the same as at once, both ways`, () => {
      const object = decodeObject(schema, given);
      const bytes = encodeProtobuf(schema, object);
      expect(finish(encodeProtobufSteps(schema, object)).equals(bytes)).toBe(true);
      expect(finish(decodeProtobufSteps(schema, bytes))).toEqual(decodeProtobuf(schema, bytes));
    });
  }

  test("let other work run in between", () => {
    const object = decodeObject(schema, { other: { members: { a: { members: members(20_000) } } } });
    const bytes = encodeProtobuf(schema, object);
    for (const steps of [encodeProtobufSteps(schema, object), decodeProtobufSteps(schema, bytes)]) {
      let count = 0;
      while (!steps.next().done) count++;
      expect(count).toBeGreaterThan(20);
    }
  });

  test("that are truncated or have wrong types are refused in the same way", () => {
    const bytes = encodeProtobuf(schema, decodeObject(schema, { other: { all: many(3_000, leaf) } }));
    for (const cut of [bytes.subarray(0, -1), bytes.subarray(0, 20_000), Buffer.concat([bytes, Buffer.of(0x13)])]) {
      const problem = (read: () => unknown) => {
        try {
          return read();
        } catch (error) {
          return String(error);
        }
      };
      expect(problem(() => finish(decodeProtobufSteps(schema, cut)))).toBe(problem(() => decodeProtobuf(schema, cut)));
    }
  });
});
