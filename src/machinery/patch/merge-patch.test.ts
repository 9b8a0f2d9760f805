/** What merge patches do to documents. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { applyMergePatch, mergeDialect } from "./merge-patch.ts";

const cases: { why: string; document: unknown; patch: unknown; result: unknown }[] = [
  {
    why: "members are merged",
    document: { a: 1, b: { c: 2 } },
    patch: { b: { d: 3 } },
    result: { a: 1, b: { c: 2, d: 3 } },
  },
  { why: "null deletes", document: { a: 1, b: { c: 2 } }, patch: { a: null, b: { c: null } }, result: { b: {} } },
  { why: "lists are replaced", document: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
  {
    why: "an object replaces a value that is not an object",
    document: { a: 1 },
    patch: { a: { b: 2 } },
    result: { a: { b: 2 } },
  },
  {
    why: "nulls in a new object have nothing to delete",
    document: {},
    patch: { a: { b: null, c: { d: null } } },
    result: { a: { c: {} } },
  },
  {
    why: "nulls in a list that replaces a list are removed",
    document: { a: [1] },
    patch: { a: [null, { b: null }] },
    result: { a: [{}] },
  },
  { why: "a list as patch becomes the document", document: { a: 1 }, patch: [1], result: [1] },
  { why: "a value that is not an object counts as empty", document: null, patch: { a: 1 }, result: { a: 1 } },
];
for (const { why, document, patch, result } of cases) {
  test(why, () => expect(applyMergePatch(document, patch)).toEqual(result));
}

test("since 1.23 nulls stay in lists, and are removed from the objects in them", () => {
  const dialect = mergeDialect({ has: () => true });
  const patch = { a: [null, { b: null }], c: { d: [[null], 1] }, e: null };
  expect(applyMergePatch({ a: [1] }, patch, dialect)).toEqual({ a: [null, {}], c: { d: [[null], 1] } });
});

test("null and scalars are refused", () => {
  for (const patch of [null, "text", 5, true])
    expect(() => applyMergePatch({}, patch)).toThrow(/must be a JSON object/);
});

test("names of the prototype are members like any other", () => {
  const result = applyMergePatch({ a: {} }, JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"y":1}}}'));
  expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"y":1}},"__proto__":{"x":1}}');
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});

/** The algorithm of RFC 7386, section 2, literally. */
function byTheBook(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = new Map<string, unknown>(
    typeof target === "object" && target !== null && !Array.isArray(target) ? Object.entries(target) : [],
  );
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, byTheBook(result.get(key), value));
  }
  return Object.fromEntries(result);
}

const withoutLists = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, "x"), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("value"), { maxKeys: 4 }),
}));

test("does what the RFC says, and nothing when repeated", () => {
  fc.assert(
    fc.property(withoutLists.object, withoutLists.object, (document, patch) => {
      const result = applyMergePatch(document, patch);
      expect(result).toEqual(byTheBook(document, patch));
      expect(applyMergePatch(result, patch)).toEqual(result);
    }),
  );
});
