import { describe, expect, test } from "vitest";
import { elided, list, map, optional, string, struct } from "./build.ts";
import { decodeObject } from "./decode.ts";
import { membersMax } from "./decode-tally.ts";
import type { Field, StructSchema } from "./schema.ts";

describe("a struct of very many fields, all of which may be absent", () => {
  const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
  const wide = struct(
    "test.v1.Wide",
    Object.fromEntries([...names, "constructor"].map((name) => [name, optional(string())])),
  );
  const read = (given: unknown) => decodeObject(wide.schema as StructSchema, given);

  test("is read like one with few fields: in the declared order, without unknown, null or inherited members", () => {
    const given = JSON.parse('{"f30":"c","other":1,"f2":"a","__proto__":"x","f11":null,"f12":"b"}');
    expect(JSON.stringify(read(given))).toBe('{"f2":"a","f12":"b","f30":"c"}');
    expect(read({ constructor: "own" })).toEqual({ constructor: "own" });
    expect(() => read({ f3: 1 })).toThrow("f3");
  });
});

describe("values that never change once they were decoded", () => {
  const Final: Field = struct("test.v1.Final", () => ({ members: elided(map(Final)), note: elided(string()) }), {
    isFinal: true,
  });
  const One = struct("test.v1.One", { all: list(Final), kept: elided(Final) }).schema as StructSchema;
  const Other = struct("test.v1.Other", { all: list(Final), name: elided(string()) }).schema as StructSchema;
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, {}]));

  test("are shared by all objects that they are decoded into", () => {
    const first = decodeObject(One, { all: [{ note: "x", unknown: 1, members: { b: {}, a: { note: "" } } }] });
    expect(first["all"]).toEqual([{ members: { a: {}, b: {} }, note: "x" }]);
    const again = decodeObject(Other, first);
    expect((again["all"] as unknown[])[0]).toBe((first["all"] as unknown[])[0]);
  });

  test("count as often as they occur", () => {
    const { all } = decodeObject(One, { all: [{ members: members(membersMax / 2) }] }) as { all: [object] };
    const [value] = all;
    expect(decodeObject(Other, { all: [value] })["all"]).toEqual([value]);
    expect(() => decodeObject(Other, { all: [value, value] })).toThrow(expect.objectContaining({ code: 413 }));
  });

  test("are read again after a value that could not be read", () => {
    expect(() => decodeObject(One, { all: [{ members: { a: { note: 1 } } }] })).toThrow("note");
    const { all } = decodeObject(One, { all: [{ note: "x" }] }) as { all: [object] };
    expect((decodeObject(Other, { all })["all"] as unknown[])[0]).toBe(all[0]);
  });
});
