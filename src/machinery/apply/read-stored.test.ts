/** Stored objects are read alike, whether or not their sets of owned fields are known. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeStoredText, encodeJson } from "../json/json.ts";
import { KnownSets, knownSetCharsMax, knownSetsMax } from "./known-sets.ts";
import { decodeStoredObject, storedObjectSteps } from "./read-stored.ts";

const word = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'v:"},{"', "f:}}]}", "f:\\", ".", "f:ä", "f:\ud800");
const { set } = fc.letrec<{ set: Record<string, unknown> }>((tie) => ({
  set: fc.dictionary(word, fc.oneof({ depthSize: "small" }, fc.constant({}), tie("set")), { maxKeys: 3 }),
}));
const entry = fc.record(
  {
    manager: fc.constantFrom("m", '"fieldsV1":{"f:a":{}}', '"managedFields":['),
    time: fc.constant("2021-01-01T00:00:00Z"),
    fieldsV1: fc.oneof(set, fc.constantFrom(null, 0, { "f:a": {} })),
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    name: fc.constant("x"),
    annotations: fc.dictionary(fc.constantFrom("managedFields", "a"), fc.constantFrom('"fieldsV1":{}', "[")),
    generation: fc.constantFrom(1, 9_223_372_036_854_775_807n),
    managedFields: fc.array(entry, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const template = fc.record({ metadata, raw: set }, { requiredKeys: [] });
const stored = fc
  .record({ first: fc.option(template), metadata, spec: template }, { requiredKeys: [] })
  .map(({ first, ...object }) => (first ? { first, ...object } : object));

const isLong = process.env["LONG_TESTS"] !== undefined;

describe("a stored object", () => {
  test("is read as it was written, regardless of earlier reads", () => {
    fc.assert(
      fc.property(fc.array(stored, { minLength: 1, maxLength: 8 }), (objects) => {
        for (const object of [...objects, ...objects]) {
          const text = encodeJson(object);
          expect(encodeJson(decodeStoredObject(Buffer.from(text)))).toBe(encodeJson(decodeStoredText(text)));
        }
      }),
      { numRuns: isLong ? 500 : 50 },
    );
  });

  const long = Object.fromEntries(Array.from({ length: knownSetCharsMax / 8 }, (_, at) => [`k:{"a":"}${at}\\"}`, {}]));
  const owned = (count: number) => Array.from({ length: count }, () => ({ manager: "m", fieldsV1: long }));

  test("is read as it was written if its sets are long", () => {
    fc.assert(
      fc.property(
        stored,
        fc.constantFrom("metadata", "spec"),
        fc.integer({ min: 1, max: 3 }),
        (object, place, count) => {
          const text = encodeJson({ ...object, [place]: { ...object[place], managedFields: owned(count) } });
          expect(encodeJson(decodeStoredObject(Buffer.from(text)))).toBe(encodeJson(decodeStoredText(text)));
        },
      ),
      { numRuns: isLong ? 20 : 5 },
    );
  });

  test("is read in steps, one for each long set", () => {
    const object = { metadata: { managedFields: owned(5) }, spec: { a: 1 } };
    const steps = storedObjectSteps(Buffer.from(encodeJson(object)));
    let taken = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) taken++;
    expect([step.value, taken > 5]).toEqual([object, true]);
  });

  test("shares its sets with equal ones, and they are immutable", () => {
    const text = (name: string) =>
      `{"metadata":{"name":"${name}","managedFields":[{"fieldsV1":{"f:shared":{"f:x":{}}}}]}}`;
    const read = (name: string) =>
      (decodeStoredObject(Buffer.from(text(name))) as { metadata: { managedFields: { fieldsV1: object }[] } }).metadata
        .managedFields[0]?.fieldsV1;
    expect(read("a")).toBe(read("b"));
    expect(Object.isFrozen(read("c"))).toBe(true);
  });
});

describe("known sets", () => {
  const named = (name: string) => ({ [`f:${name}`]: {} });
  const learn = (sets: KnownSets, name: string) => sets.learn(JSON.stringify(named(name)), 0, named(name));
  const finds = (sets: KnownSets, name: string) => sets.at(JSON.stringify(named(name)), 0) !== undefined;

  test("are bounded in number, and those that were found stay", () => {
    const sets = new KnownSets();
    learn(sets, "found");
    for (let at = 0; at < 40; at++) {
      learn(sets, `n${at}`);
      expect(finds(sets, "found")).toBe(true);
    }
    expect(Array.from({ length: 40 }, (_, at) => finds(sets, `n${at}`)).filter(Boolean).length).toBeLessThan(
      knownSetsMax,
    );
  });

  test("are short, and printed in canonical form", () => {
    const sets = new KnownSets();
    learn(sets, "x".repeat(knownSetCharsMax));
    sets.learn('{ "f:a": {} }', 0, named("a"));
    sets.learn('[{"f:a":{}}]', 0, named("a"));
    expect([finds(sets, "a"), finds(sets, "x".repeat(knownSetCharsMax))]).toEqual([false, false]);
    sets.learn('[{"f:a":{}}]', 1, named("a"));
    expect(finds(sets, "a")).toBe(true);
  });
});
