import { describe, expect, test } from "vitest";
import { finish, type Steps } from "../../base/time-slice.ts";
import { finalFacts } from "../json/final-facts.ts";
import { sameJson } from "../json/json-value.ts";
import { elided, json, list, map, optional, string, struct } from "./build.ts";
import { decodeObject } from "./decode.ts";
import { membersMax } from "./decode-tally.ts";
import { copyObject, decodeFinals, parseAround, printInPieces, recognizeFinals } from "./final-places.ts";
import { keptFinals, keptTextBytesMax, largePartsMin } from "./final-values.ts";
import type { Field, StructSchema } from "./schema.ts";

const Final: Field = struct(
  "test.v1.Final",
  () => ({
    members: elided(map(Final)),
    all: elided(list(Final)),
    value: optional(json("value")),
    note: elided(string()),
  }),
  { isFinal: true },
);
const Part = struct("test.v1.Part", { final: optional(Final), name: elided(string()) });
const One = struct("test.v1.One", { parts: elided(list(Part)), first: optional(Part) }).schema as StructSchema;

let serial = 0;
/** Unlike all others, with its members in no order and with what decoding drops. */
function raw(count = 2 * largePartsMin): Record<string, unknown> {
  const note = `n${serial++}`;
  const members = Array.from({ length: count }, (_, at) => [
    `m${(at * 7919) % count}`,
    at % 3 === 0
      ? { note, unknown: 1 }
      : at % 3 === 1
        ? { all: [{ note }, null] }
        : { value: [at, 2n ** 60n], note: "" },
  ]);
  return { members: Object.fromEntries(members), dropped: {} };
}
const ready = (value: unknown) => finish(decodeFinals(One, value)) as { parts: { final: object }[] };
const print = (value: unknown) => Buffer.concat(printInPieces(One, value).map((piece) => Buffer.from(piece)));
// biome-ignore lint/correctness/useYield: it parses in one step
const parse = function* (bytes: Buffer): Steps<unknown> {
  return JSON.parse(bytes.toString());
};

describe("large values that never change once they were decoded", () => {
  test("are decoded in steps as they would be at once", () => {
    const value = { parts: [{ name: "x", final: raw() }] };
    const atOnce = decodeObject(One, structuredClone(value));
    const made = ready(value);
    expect(finalFacts(made.parts[0]!.final)).toBeDefined();
    expect(finalFacts((atOnce["parts"] as typeof made.parts)[0]!.final)).toBeUndefined();
    const decoded = decodeObject(One, made) as { parts: { final: object }[] };
    expect(decoded.parts[0]!.final).toBe(made.parts[0]!.final);
    expect(decoded).toEqual(atOnce);
    expect(Object.isFrozen((decoded.parts[0]!.final as { members: object }).members)).toBe(true);
  });

  test("are one value for all objects that have the same", () => {
    const given = raw();
    const [one, other] = [ready({ first: { final: structuredClone(given) } }), ready({ parts: [{ final: given }] })];
    expect((one as object as { first: { final: object } }).first.final).toBe(other.parts[0]!.final);
    const changed = ready({ parts: [{ final: { ...given, note: "other" } }] });
    expect(sameJson(changed, other)).toBe(false);
  });

  test("are printed and parsed with the object, and found again", () => {
    const object = ready({ parts: [{ final: raw() }, { name: "small", final: { note: "y" } }, { final: raw() }] });
    const bytes = print(object);
    expect(bytes.toString()).toBe(
      printInPieces(One, structuredClone(withoutBig(object)))
        .join("")
        .replaceAll('"#1"', String(2n ** 60n)),
    );
    const again = finish(parseAround(One, bytes, parse)) as typeof object;
    expect(again.parts[0]!.final).toBe(object.parts[0]!.final);
    expect(again.parts[2]!.final).toBe(object.parts[2]!.final);
    expect(again.parts[1]).toEqual({ name: "small", final: { note: "y" } });
  });

  test("are parsed as usual where the object has no place for one", () => {
    const { parts } = ready({ parts: [{ final: raw(largePartsMin + 1) }] });
    const text = finalFacts(parts[0]!.final)!.text.toString();
    const bytes = Buffer.from(`{"elsewhere":{"final":${text}},"parts":[{"final":${text}}]}`);
    const parsed = finish(parseAround(One, bytes, parse)) as Record<string, { final: object }>;
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(bytes.toString())));
  });

  test("are shared by copies, which may be changed otherwise", () => {
    const object = Object.freeze(ready({ parts: [{ name: "x", final: raw() }] }));
    const copy = copyObject(One, object);
    expect(copy).toEqual(object);
    expect(copy.parts[0]!.final).toBe(object.parts[0]!.final);
    Object.assign(copy.parts[0]!, { name: "y" });
    expect(object.parts[0]).toMatchObject({ name: "x" });
  });

  test("are unchanged if they cannot be decoded, or have too many members", () => {
    for (const wrong of [{ ...raw(), note: 1 }, raw(membersMax + 1)]) {
      const value = { parts: [{ final: wrong }] };
      expect(ready(value)).toBe(value);
      expect(() => decodeObject(One, value)).toThrow();
    }
  });

  test("of a stored object are recognized unless decoding would change them", () => {
    const printed = JSON.parse(JSON.stringify(withoutBig(decodeObject(One, { parts: [{ final: raw() }] }))));
    const found = finish(recognizeFinals(One, printed)) as { parts: { final: object }[] };
    expect(finalFacts(found.parts[0]!.final)).toBeDefined();
    expect(found).toEqual(printed);
    const old = structuredClone(printed);
    old.parts[0].final.former = 1;
    expect(finish(recognizeFinals(One, old))).toBe(old);
  });

  test("are kept while no object has them, up to a limit of their text", () => {
    const [first, ...others] = Array.from({ length: 5 }, () => ({ ...raw(), note: "x".repeat(keptTextBytesMax / 4) }));
    const made = ready({ parts: [{ final: first }] }).parts[0]!.final;
    expect(keptFinals()).toContain(made);
    for (const other of others) ready({ parts: [{ final: other }] });
    expect(keptFinals()).not.toContain(made);
  });
});

/** JSON has no bigint of its own. */
function withoutBig(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? "#1" : part)));
}
