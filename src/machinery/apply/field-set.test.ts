/** Sets of fields are sets. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldSet } from "./field-set.ts";
import {
  difference,
  emptySet,
  equalSets,
  intersection,
  isEmpty,
  pathsOf,
  recursiveDifference,
  setOfPaths,
  union,
} from "./field-set.ts";
import { parseFields } from "./managed.ts";

const token = fc.constantFrom(
  "f:a",
  "f:b",
  "f:__proto__",
  'k:{"name":"x"}',
  'k:{"n":2}',
  'k:{"n":10}',
  'v:"s"',
  "v:3",
  "i:0",
);
const path = fc.array(token, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

/** The set as texts. */
const texts = (set: FieldSet) => new Set([...pathsOf(set)].map((steps) => steps.join(" ")));
const isBelow = (text: string, others: Set<string>) =>
  [...others].some((other) => text === other || text.startsWith(`${other} `));

describe("operations agree with those on sets of texts", () => {
  const agrees = (
    name: string,
    run: (a: FieldSet, b: FieldSet) => FieldSet,
    model: (a: Set<string>, b: Set<string>) => string[],
  ) =>
    test(name, () => {
      fc.assert(
        fc.property(paths, paths, (left, right) => {
          const [a, b] = [setOfPaths(left), setOfPaths(right)];
          const before = JSON.stringify([a, b]);
          const result = run(a, b);
          expect(texts(result)).toEqual(new Set(model(texts(a), texts(b))));
          expect(JSON.stringify([a, b])).toBe(before);
          // What is printed is read again as the same, so it is in canonical form.
          expect(JSON.stringify(parseFields(result))).toBe(JSON.stringify(result));
        }),
      );
    });
  agrees("union", union, (a, b) => [...a, ...b]);
  agrees("difference", difference, (a, b) => [...a].filter((one) => !b.has(one)));
  agrees("intersection", intersection, (a, b) => [...a].filter((one) => b.has(one)));
  agrees("recursive difference", recursiveDifference, (a, b) => [...a].filter((one) => !isBelow(one, b)));
});

test("equality does not depend on how a set was made", () => {
  fc.assert(
    fc.property(paths, (given) => {
      const a = setOfPaths(given);
      const b = setOfPaths([...given].reverse());
      expect(equalSets(a, b)).toBe(true);
      expect(JSON.stringify(a)).toBe(JSON.stringify(b));
      expect(isEmpty(difference(a, b))).toBe(true);
      expect(equalSets(union(a, setOfPaths([["f:other"]])), b)).toBe(false);
    }),
  );
});

test("unchanged parts are shared", () => {
  const a = setOfPaths([["f:a", "f:b"], ["f:c"]]);
  expect(union(a, setOfPaths([["f:c"]]))).toBe(a);
  expect(difference(a, setOfPaths([["f:z"]]))).toBe(a);
  expect(union(a, setOfPaths([["f:d"]]))["f:a"]).toBe(a["f:a"]);
  expect(union(a, emptySet)).toBe(a);
});

test("fields come before keys, keys before values, values before positions, numbers by size", () => {
  const large = setOfPaths([["v:9223372036854775807"], ["v:9007199254740993"], ["v:12"]]);
  expect(Object.keys(large)).toEqual(["v:12", "v:9007199254740993", "v:9223372036854775807"]);
  const set = setOfPaths([["v:10"], ["v:9"], ["f:b"], ["i:2"], ['k:{"n":10}'], ['k:{"n":9}'], ["f:a"], ["f:a", "f:x"]]);
  expect(JSON.stringify(set)).toBe(
    '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"n\\":9}":{},"k:{\\"n\\":10}":{},"v:9":{},"v:10":{},"i:2":{}}',
  );
});

describe("reading sets that clients wrote", () => {
  const cases: { why: string; given: unknown; read: unknown }[] = [
    { why: "keys of items are sorted", given: { 'k:{"b":1, "a":"x"}': {} }, read: { 'k:{"a":"x","b":1}': {} } },
    { why: "values lose their spaces", given: { 'v: "x"': {} }, read: { 'v:"x"': {} } },
    { why: "a dot alone is a leaf", given: { "f:a": { ".": {} } }, read: { "f:a": {} } },
    { why: "null is a leaf", given: { "f:a": null }, read: { "f:a": {} } },
    { why: "unknown forms are ignored", given: { "x:a": {}, "f:a": {} }, read: { "f:a": {} } },
    { why: "a dot at the root is ignored", given: { ".": {}, "f:a": {} }, read: { "f:a": {} } },
    {
      why: "__proto__ is a field name like any other",
      given: { "f:__proto__": {}, 'k:{"__proto__":1}': {} },
      read: { "f:__proto__": {}, 'k:{"__proto__":1}': {} },
    },
    { why: "no colon", given: { bogus: {} }, read: undefined },
    { why: "the empty text", given: { "": {} }, read: undefined },
    { why: "broken keys", given: { "k:{broken": {} }, read: undefined },
    { why: "keys that are not an object", given: { "k:[1]": {} }, read: undefined },
    {
      why: "an index of 64 bits",
      given: { "i:+9007199254740993": {}, "i:-07": {} },
      read: { "i:9007199254740993": {}, "i:-7": {} },
    },
    { why: "an index of more than 64 bits", given: { "i:9223372036854775808": {} }, read: undefined },
    { why: "an index that is not a number", given: { "i:x": {} }, read: undefined },
    { why: "a text as node", given: { "f:a": "x" }, read: undefined },
    { why: "a list", given: [], read: undefined },
  ];
  for (const { why, given, read } of cases) test(why, () => expect(parseFields(given)).toEqual(read));
});
