/** Objects that share a part of their bytes are still read as they were written. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutSetMark, decodeAroundSets } from "../../machinery/apply/read-stored.ts";
import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";
import { keepBytes, ObjectBytes, setsOfObjectMax } from "./object-bytes.ts";
import { SharedSets, sharedSetBytesMax, sharedSetBytesMin, sharedSetsBytesMax, sharedSetsMax } from "./shared-sets.ts";

const start = '{"apiVersion":"v1","kind":"Note","metadata":{';
const version = '"resourceVersion":"7",';
const setOf = (name: string) => `{"f:${name}":{"f:${"x".repeat(sharedSetBytesMin)}":{}}}`;
const objectOf = (name: string, sets: readonly string[]) =>
  `${start}"name":"${name}","managedFields":[${sets.map((set) => `{"manager":"m","fieldsV1":${set}}`).join(",")}]},"data":{"k":"ä"}}`;
const keep = (text: string) => keepBytes(Buffer.from(text), start.length, version);
/** Not as it was joined before: a part may have been cut out since then. */
const wholeOf = (kept: Buffer | ObjectBytes) => {
  const whole = Buffer.alloc(kept.length);
  if (kept instanceof ObjectBytes) expect(kept.copyTo(whole, 0, 0)).toBe(kept.length);
  else kept.copy(whole);
  return whole.toString();
};
const expected = (text: string) => start + version + text.slice(start.length);

describe("the bytes of an object", () => {
  test("are those that were given, with the version, whatever is found in them and whatever came before", () => {
    // Parts of the marks that are looked for, in any order: hardly any of these texts is an object.
    const part = fc.constantFrom(
      ...[
        '"managedFields":[',
        '"fieldsV1":',
        '"fieldsV1":{',
        "{",
        "}",
        "}},{",
        "}}]",
        "]}",
        "]},",
        ',"status":{',
        "ä",
        setOf("a"),
        setOf("b"),
      ],
    );
    const texts = fc.array(
      fc.array(part, { maxLength: 24 }).map((parts) => start + parts.join("")),
      { minLength: 1, maxLength: 6 },
    );
    let shared = 0;
    fc.assert(
      fc.property(texts, (some) => {
        let before: { readonly text: string; readonly kept: ObjectBytes } | undefined;
        for (const text of [...some, ...some]) {
          const kept = keep(text);
          if (kept instanceof ObjectBytes) {
            shared += 1;
            if (before !== undefined) {
              kept.shareSpec(before.kept);
              expect(wholeOf(before.kept)).toBe(expected(before.text));
            }
            before = { text, kept };
          }
          const bytes = Buffer.from(expected(text));
          expect(wholeOf(kept)).toBe(bytes.toString());
          expect(kept.length).toBe(bytes.length);
          if (kept instanceof ObjectBytes) {
            expect(kept.join().equals(bytes)).toBe(true);
            const target = Buffer.alloc(bytes.length + 5);
            expect(kept.copyTo(target, 8, 10)).toBe(bytes.length - 2);
            expect(target.subarray(8, bytes.length - 2).toString()).toBe(bytes.subarray(10).toString());
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(shared).toBeGreaterThan(0);
  });

  test("hold a set once for all objects that have it, from the second object on", () => {
    const sets = [setOf("shared-one"), setOf("shared-two")];
    const [first, second, third] = ["a", "b", "c"].map((name) => keep(objectOf(name, sets)));
    expect(first).toBeInstanceOf(Buffer);
    expect(second).toBeInstanceOf(ObjectBytes);
    expect((third as ObjectBytes).ownLength).toBe(expected(objectOf("c", ["", ""])).length + 1); // "ä" has two bytes
  });

  test("hold a spec once for all versions of an object that have it, and are read as before", () => {
    const spec = (text: string) => `"spec":{"text":"${text.repeat(sharedSetBytesMin)}"}`;
    const versionOf = (label: string, spec: string, status: string) =>
      `${start}"name":"${label}","managedFields":[{"fieldsV1":${setOf("spec")}},{"time":"${label}","fieldsV1":{}}]},${spec},"status":{"at":"${status}"}}`;
    keep(versionOf("", spec("x"), ""));
    const texts = [
      versionOf("one", spec("x"), "first"),
      versionOf("second", spec("x"), "first"),
      versionOf("third", spec("x"), "other status"),
      versionOf("fourth", spec("y"), "other status"),
      versionOf("fifth", spec("yy"), "other status"),
      versionOf("sixth", spec("yy"), "other status"),
    ];
    const kept = texts.map((text) => keep(text) as ObjectBytes); // the set is known
    const lengths = kept.map(({ ownLength }) => ownLength);
    for (let at = 1; at < kept.length; at++) kept[at]?.shareSpec(kept[at - 1] as ObjectBytes); // there is one before
    const saved = kept.map(({ ownLength }, at) => (lengths[at] ?? 0) - ownLength);
    const [x, yy] = ["x", "yy"].map((text) => `]},${spec(text)}`.length);
    expect(saved).toEqual([x, x, x, 0, yy, yy]);
    expect(kept.map(wholeOf)).toEqual(texts.map(expected));
  });

  test("are decoded around shared sets with the same result", () => {
    const filler = "x".repeat(sharedSetBytesMin);
    const set = fc.constantFrom(
      ...["f:a", "f:}}]", 'v:"},{"', "f:\\", "f:\ud800"].map((name) => ({ [name]: {}, [`f:${filler}`]: {} })),
      { "f:small": {} },
    );
    const entry = fc.record(
      { manager: fc.constantFrom("m", '"fieldsV1":{}'), fieldsV1: fc.oneof(set, fc.constantFrom(null, 0, filler)) },
      { requiredKeys: [] },
    );
    const metadata = fc.record({ name: fc.constantFrom("a", "b"), managedFields: fc.array(entry, { maxLength: 3 }) });
    const object = fc.record({ metadata, spec: fc.record({ metadata, filler: fc.constantFrom(filler, "y") }) });
    let around = 0;
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 6 }), (some) => {
        let before: ObjectBytes | undefined;
        for (const each of [...some, ...some]) {
          const text = encodeJson({ apiVersion: "v1", kind: "Note", ...each });
          const kept = keep(text);
          if (!(kept instanceof ObjectBytes)) continue;
          if (before !== undefined) kept.shareSpec(before);
          before = kept;
          const cut = kept.textAround(cutSetMark);
          const decoded = cut && decodeAroundSets(cut.text, cut.sets);
          if (decoded === undefined) continue;
          around += 1;
          expect(encodeJson(decoded.value)).toBe(encodeJson(decodeStoredText(expected(text))));
          if (decoded.spec !== undefined) expect(decoded.spec.text).toBe(encodeJson(decoded.spec.value));
        }
      }),
      { numRuns: 500 },
    );
    expect(around).toBeGreaterThan(0);
  });

  test("are searched for a limited number of sets", () => {
    const sets = Array.from({ length: setsOfObjectMax + 5 }, () => setOf("repeated"));
    keep(objectOf("a", sets));
    const kept = keep(objectOf("b", sets)) as ObjectBytes; // its sets are known
    expect(kept.length - kept.ownLength).toBe(setsOfObjectMax * setOf("repeated").length);
    expect(wholeOf(kept)).toBe(expected(objectOf("b", sets)));
  });
});

describe("shared sets", () => {
  const find = (sets: SharedSets, text: string) => sets.find(Buffer.from(text), 0, Buffer.byteLength(text));
  const numbered = (at: number) => `${at}`.padStart(6, "0").padEnd(sharedSetBytesMin + (at % 500), ".");

  test("leave out what is too small or too large", () => {
    const sets = new SharedSets();
    for (const length of [sharedSetBytesMin - 1, sharedSetBytesMax + 1]) {
      const text = "x".repeat(length);
      find(sets, text);
      expect(find(sets, text)).toBeUndefined();
    }
    expect(sets.size).toBe(0);
  });

  test("are distinguished where they have the same length", () => {
    const sets = new SharedSets();
    for (const letter of "abc") find(sets, letter.repeat(sharedSetBytesMin));
    for (const letter of "cab") expect(find(sets, letter.repeat(sharedSetBytesMin))?.[0]).toBe(letter.charCodeAt(0));
  });

  test("start again with an empty table when there are too many, or too many bytes", () => {
    const many = new SharedSets();
    for (let at = 0; at < sharedSetsMax; at++) find(many, numbered(at));
    expect(many.size).toBe(sharedSetsMax);
    find(many, numbered(sharedSetsMax));
    expect(many.size).toBe(1);
    const large = new SharedSets();
    const fit = Math.floor(sharedSetsBytesMax / sharedSetBytesMax);
    for (let at = 0; at <= fit; at++) find(large, "x".repeat(sharedSetBytesMax - at));
    expect(large.size).toBeLessThanOrEqual(fit);
  });
});
