/** Objects that share a part of their bytes are still read as they were written. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutSetMark, decodeAroundSets } from "../../machinery/apply/read-stored.ts";
import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";
import { keepBytes, ObjectBytes, setsOfObjectMax } from "./object-bytes.ts";
import { SharedSets, sharedSetBytesMax, sharedSetBytesMin, sharedSetsBytesMax, sharedSetsMax } from "./shared-sets.ts";
import { changesFrom, copyChanged, templateStepsMax } from "./template-changes.ts";
import { Template, Templates, templateBytesMax, templatesMax } from "./templates.ts";

const start = '{"apiVersion":"v1","kind":"Note","metadata":{';
const version = '"resourceVersion":"7",';
const setOf = (name: string) => `{"f:${name}":{"f:${"x".repeat(sharedSetBytesMin)}":{}}}`;
const objectOf = (name: string, sets: readonly string[]) =>
  `${start}"name":"${name}","managedFields":[${sets.map((set) => `{"manager":"m","fieldsV1":${set}}`).join(",")}]},"data":{"k":"ä"}}`;
const keep = (text: string) => keepBytes(Buffer.from(text), start.length, version);
/** Written again, not as it was joined before. */
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
        for (const text of [...some, ...some]) {
          const kept = keep(text);
          if (kept instanceof ObjectBytes) shared += 1;
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
    const [first, second] = ["a", "b"].map((name) => keep(objectOf(name, sets)));
    expect(first).toBeInstanceOf(Buffer);
    expect(second).toBeInstanceOf(ObjectBytes);
    expect((second as ObjectBytes).ownLength).toBe(expected(objectOf("b", ["", ""])).length + 1); // "ä" has two bytes
  });

  test("hold only what differs from another object of the same template, and are read as they were written", () => {
    const sets = [setOf("spec"), setOf("status")];
    const podOf = (name: string, node: string, ip: string) =>
      objectOf(name, sets).replace(
        /}$/,
        `,"spec":{"args":["--name=${name}","${"x".repeat(500)}"],"node":"${node}"},"status":{"ip":"${ip}"}}`,
      );
    const texts = [
      podOf("one", "n1", "10.0.0.12"),
      podOf("one", "n1", "10.0.0.12"),
      podOf("two", "n2", "10.0.0.34"),
      podOf("two", "n34", "10.0.0.5"), // as long as the others
      podOf("a".repeat(600), "n1", "10.0.0.12"),
    ];
    const kept = texts.map(keep);
    expect(kept.map(wholeOf)).toEqual(texts.map(expected));
    const [, template, ...others] = kept as ObjectBytes[]; // the sets are known from the second object on
    expect(template?.ownLength).toBeGreaterThan(500);
    const lengths = others.map(({ ownLength }) => ownLength);
    for (const length of lengths.slice(0, 2)) expect(length).toBeLessThan(100);
    expect(lengths[2]).toBeGreaterThan(500);
  });

  test("are not compared with a template if they are large", () => {
    const sets = [setOf("large")];
    const large = (name: string) => objectOf(name, sets).replace("ä", "x".repeat(templateBytesMax));
    keep(large("a"));
    const kept = ["b", "c"].map((name) => keep(large(name)) as ObjectBytes); // the set is known
    for (const { ownLength } of kept) expect(ownLength).toBeGreaterThan(templateBytesMax);
    expect(kept.map(wholeOf)).toEqual(["b", "c"].map(large).map(expected));
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
        for (const each of [...some, ...some]) {
          const text = encodeJson({ apiVersion: "v1", kind: "Note", ...each });
          const kept = keep(text);
          if (!(kept instanceof ObjectBytes)) continue;
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

describe("templates", () => {
  const set = Buffer.from("{set}");
  /** Pieces with a set between every two of them. */
  const partsOf = (pieces: readonly string[]) => {
    const begins = pieces.slice(0, -1).map((_, at) => Buffer.byteLength(pieces.slice(0, at + 1).join(set.toString())));
    const sets = begins.map(() => set);
    return { whole: Buffer.from(pieces.join(set.toString())), begins, sets };
  };
  const templateOf = (pieces: readonly string[]) => {
    const { whole, begins, sets } = partsOf(pieces);
    return new Template(whole, begins, sets);
  };

  test("and what differs from them make the object, whatever differs", () => {
    const text = fc.array(fc.constantFrom('"', "a", "b", "ä", "{", "x".repeat(40), "y".repeat(300)), { maxLength: 12 });
    const pieces = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 });
    // Long enough for nearly any difference to be described.
    const filler = "z".repeat(8_000);
    let described = 0;
    fc.assert(
      fc.property(pieces, (some) => {
        const template = templateOf([filler + some[0]?.[0].join(""), ...some.slice(1).map(([one]) => one.join(""))]);
        const { whole, begins } = partsOf([
          filler + some[0]?.[1].join(""),
          ...some.slice(1).map(([, other]) => other.join("")),
        ]);
        const view = new DataView(whole.buffer, whole.byteOffset);
        const changes = changesFrom(template, whole, view, begins, filler.length);
        if (changes === undefined) return;
        described += 1;
        // Nothing is written before the beginning, and nothing behind the end.
        const target = Buffer.alloc(whole.length + 2, "#");
        const places: number[] = [];
        expect(copyChanged(template, changes, target, 1, 1, places)).toBe(whole.length);
        expect(target.toString()).toBe(`#${whole.toString("utf8", 1)}##`);
        expect(places).toEqual(begins);
      }),
      { numRuns: 1_000 },
    );
    expect(described).toBeGreaterThan(500);
  });

  test("are not those of objects that begin differently, or differ too much", () => {
    const template = templateOf(["a".repeat(100)]);
    const changesOf = (text: string) => {
      const whole = Buffer.from(text);
      return changesFrom(template, whole, new DataView(whole.buffer, whole.byteOffset), [], 10);
    };
    expect(changesOf("a".repeat(100))).toBeDefined();
    expect(changesOf(`${"a".repeat(98)}bb`)).toBeDefined();
    expect(changesOf(`${"a".repeat(50)}${"b".repeat(50)}`)).toBeUndefined();
    expect(changesOf(`b${"a".repeat(99)}`)).toBeUndefined();
  });

  test("are not those of objects in which too many values have other lengths", () => {
    const values = (length: number, count: number) =>
      Array.from({ length: 20 }, (_, at) => `"${"v".repeat(40)}${"x".repeat(at < count ? length : 1)}"`).join();
    const template = templateOf([values(1, 0)]);
    const changesOf = (count: number) => {
      const whole = Buffer.from(values(2, count));
      return changesFrom(template, whole, new DataView(whole.buffer, whole.byteOffset), [], 1);
    };
    expect(changesOf(templateStepsMax - 1)).toBeDefined();
    expect(changesOf(templateStepsMax + 1)).toBeUndefined();
  });

  test("are found by their sets and their length, and give way to others", () => {
    const templates = new Templates();
    const template = templateOf(["a", "b"]);
    templates.add(template);
    const find = (sets = template.sets) => templates.find(template.bytes.length, template.begins, sets);
    expect(find()).toBe(template);
    expect(find([Buffer.from(set)])).toBeUndefined();
    for (let at = 1; at <= templatesMax; at++) templates.add(templateOf(["a", "b".repeat(8 * at)]));
    expect(find()).not.toBe(template);
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
