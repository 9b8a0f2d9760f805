import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeStoredText, encodeJson } from "./json.ts";
import { decodeAroundSpec } from "./printed-spec.ts";

const metadata = (name: string) => ({ name, managedFields: [{ manager: "m" }] });
const text = fc.constantFrom("plain", ']},"spec":{}', ',"status":{', '"', "\\", "\ud800", "\u{1f600}");
const number = fc.constantFrom(0, -1, 1.5, 1e21, 12345678901234567890n);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, text, number, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "spec", "status", "metadata", "managedFields"), tie("value"), {
    maxKeys: 4,
  }),
}));

test("an object is read as without its spec being known, and a known spec is printed as it was", () => {
  let known = 0;
  const stored = fc.record(
    { metadata: fc.oneof(text.map(metadata), anything), spec: anything, status: anything, more: anything },
    { requiredKeys: ["metadata"] },
  );
  fc.assert(
    fc.property(stored, (object) => {
      const printed = encodeJson(object);
      const { value, spec } = decodeAroundSpec(printed);
      expect(encodeJson(value)).toBe(encodeJson(decodeStoredText(printed)));
      if (spec === undefined) return;
      known += 1;
      expect(spec.value).toBe((value as { spec: unknown }).spec);
      expect(spec.text).toBe(encodeJson(spec.value));
    }),
    { numRuns: 1_000 },
  );
  expect(known).toBeGreaterThan(0);
});

test("the text of a spec is known if nothing but the status follows it", () => {
  const object = (more: object) => encodeJson({ kind: "Note", metadata: metadata("x"), spec: { a: 1 }, ...more });
  expect(decodeAroundSpec(object({})).spec?.text).toBe('{"a":1}');
  expect(decodeAroundSpec(object({ status: { status: 1 } })).spec?.text).toBe('{"a":1}');
  expect(decodeAroundSpec(object({ status: { b: 1, status: {} } })).spec).toBeUndefined();
  expect(decodeAroundSpec(object({ other: {}, status: {} })).spec).toBeUndefined();
});
