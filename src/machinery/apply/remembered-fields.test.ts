/** The field sets of creates are cached, and the cache returns what would be computed without it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { Utf8Writer } from "../codec/utf8-writer.ts";
import { copyJson } from "../json/json-value.ts";
import { arbitraryObject, seededSource } from "../schema/arbitrary.suite.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import { type Fingerprint, fingerprintOf, fingerprintPartsMax } from "./fingerprint.ts";
import { writeManagers } from "./managed.ts";
import { trackNow } from "./ownership.ts";
import { printManagedFields } from "./print-managed.ts";
import { RememberedFields, rememberedCharsMax, rememberedTemplate } from "./remembered-fields.ts";
import { sample, sampleBeta } from "./sample-kind.suite.ts";
import { Unidentified } from "./topology.ts";
import { updateManagers } from "./updater.ts";
import { withoutManagers, zeroObject } from "./versions.ts";

const now = "2021-01-01T00:00:00Z";

/** What `created` gives without the cache. */
function plainly(kind: BoundKind, object: ApiObject): unknown {
  const transition = {
    kind,
    before: zeroObject(kind),
    after: withoutManagers(object),
    subresource: "",
    isLarge: false,
  };
  try {
    return writeManagers(finish(updateManagers(transition, new Map(), "u1", now)));
  } catch (problem) {
    if (problem instanceof Unidentified) return undefined;
    throw problem;
  }
}

function tracked(kind: BoundKind, object: ApiObject): unknown {
  const next = copyJson(object);
  trackNow({ kind, live: undefined, next, manager: "u1", subresource: "", now });
  return next.metadata.managedFields;
}

const read = (given: object, kind = sample) => decodeKind(kind, given);

describe("the fields of a create", () => {
  test("are the same with and without the cache, regardless of earlier creates", () => {
    const seeds = fc.record({ seed: fc.integer({ min: 0, max: 300 }), beta: fc.boolean() });
    fc.assert(
      fc.property(fc.array(seeds, { minLength: 20 }), (all) => {
        for (const { seed, beta } of all) {
          const kind = beta ? sampleBeta : sample;
          const object = read(arbitraryObject(kind.schema, seededSource(seed)), kind);
          expect(JSON.stringify(tracked(kind, object))).toBe(JSON.stringify(plainly(kind, object)));
        }
      }),
    );
  });

  test("are not those of managers that an earlier create of such an object brought with it", () => {
    const labels = { made: "with-managers" };
    const fieldsV1 = { "f:metadata": { "f:labels": { "f:gone": {} } } };
    const sent = { manager: "m", operation: "Update", apiVersion: sample.apiVersion, fieldsType: "FieldsV1", fieldsV1 };
    tracked(sample, read({ metadata: { name: "a", labels, managedFields: [sent] } }));
    const object = read({ metadata: { name: "b", labels } });
    expect(tracked(sample, object)).toEqual(plainly(sample, object));
  });

  test("differ for the smallest relevant difference", () => {
    const cases: object[] = [
      {},
      { spec: null },
      { spec: { nested: {} } },
      { spec: { nested: { a: "1" } } },
      { spec: { nested: { a: "", b: "" } } },
      { spec: { parts: [] } },
      { spec: { parts: [{ name: "a" }] } },
      { spec: { parts: [{ name: "b" }] } },
      { spec: { parts: [{ name: "b" }, { name: "a" }] } },
      { spec: { parts: [{ name: "a", ports: [{ port: 1 }] }] } },
      { spec: { parts: [{ name: "a", ports: [{ port: 1, protocol: "UDP" }] }] } },
      { spec: { parts: [{ name: "a", ports: [{ port: 10 }, { port: 9 }] }] } },
      { spec: { words: ["1"] } },
      { spec: { words: ["1", "2"] } },
      { spec: { words: ["1", "1"] } },
      { spec: { colors: { "1": "a" } } },
      JSON.parse('{"spec":{"colors":{"__proto__":"a"}}}') as object,
      { spec: { raw: { a: 1 } } },
      { spec: { raw: null } },
      { status: { count: 0 } },
      { status: { count: 1 } },
      { metadata: { creationTimestamp: now } },
      { metadata: { finalizers: ["a"], managedFields: [{ manager: "me" }] } },
    ];
    for (let round = 0; round < 2; round++) {
      for (const given of cases) {
        const object = read(given);
        expect(JSON.stringify(tracked(sample, object))).toBe(JSON.stringify(plainly(sample, object)));
      }
    }
  });

  test("are one set for all objects of one template", () => {
    const made = (name: string, image: string) =>
      tracked(sample, read({ metadata: { name }, spec: { parts: [{ name: "a", image }] } })) as { fieldsV1: object }[];
    const [first] = made("x", "1");
    const [second] = made("y", "2");
    expect(second?.fieldsV1).toBe(first?.fieldsV1);
    expect(Object.isFrozen(second?.fieldsV1)).toBe(true);
  });

  test("belong to the manager that created the object, at that time", () => {
    const object = read({ spec: { words: ["x"] } });
    tracked(sample, object);
    for (const [manager, time] of [
      ["a", now],
      ["a", now],
      ["a", now],
      ["b", now],
      ["b", "2021-01-01T00:00:01Z"],
      ["a", now],
    ] as const) {
      const next = copyJson(object);
      trackNow({ kind: sample, live: undefined, next, manager, subresource: "", now: time });
      const entries = next.metadata.managedFields ?? [];
      expect(entries).toMatchObject([{ manager, time, fieldsV1: { "f:spec": { "f:words": { 'v:"x"': {} } } } }]);
      const writer = new Utf8Writer();
      printManagedFields(entries, writer);
      expect(String(writer.take())).toBe(JSON.stringify(entries));
    }
  });

  test("are printed like any other set", () => {
    const object = read({ spec: { parts: [{ name: 'a"b', image: "1" }] } });
    const entries = tracked(sample, object) as ManagedFieldsEntry[];
    const writer = new Utf8Writer();
    for (const all of [entries, [...entries, ...entries], [{ ...entries[0], fieldsV1: {} }], [{}], []]) {
      printManagedFields(all, writer);
      expect(String(writer.take())).toBe(JSON.stringify(all));
    }
  });

  test("are not cached for objects that are too large or have texts that are too long", () => {
    const words = Array.from({ length: fingerprintPartsMax }, (_, at) => `w${at}`);
    for (const spec of [{ words }, { colors: { ["c".repeat(300)]: "" } }]) {
      const object = read({ spec });
      tracked(sample, object);
      expect(fingerprintOf(sample, object)).toBeUndefined();
      expect(rememberedTemplate("create", sample, object)).toBeUndefined();
    }
  });
});

describe("the cache of one server", () => {
  const fingerprint = (hash: number, ...parts: string[]): Fingerprint => ({
    parts,
    length: parts.length,
    chars: parts.join("").length,
    hash,
  });
  const set = (name: string) => ({ [`f:${name}`]: {} });

  test("keeps only the latest of the fingerprints that share a hash, and never confuses them", () => {
    const memory = new RememberedFields();
    memory.remember(sample, fingerprint(1, "a"), set("a"));
    memory.remember(sample, fingerprint(1, "b"), set("b"));
    expect([memory.get(sample, fingerprint(1, "a")), memory.get(sample, fingerprint(1, "b"))?.set]).toEqual([
      undefined,
      set("b"),
    ]);
    expect(memory.get(sample, fingerprint(1, "b", "c"))).toBeUndefined();
    expect(memory.get(sampleBeta, fingerprint(1, "b"))).toBeUndefined();
  });

  test("is bounded, whether fingerprints have many parts or long texts", () => {
    for (const parts of [Array.from({ length: 2_000 }, () => ""), Array.from({ length: 100 }, () => "a".repeat(253))]) {
      const memory = new RememberedFields();
      const knows = (hash: number) =>
        memory.get(hash % 2 ? sample : sampleBeta, fingerprint(hash, ...parts)) !== undefined;
      let count = 0;
      do memory.remember(count % 2 ? sample : sampleBeta, fingerprint(count, ...parts), set("a"));
      while (++count < rememberedCharsMax && knows(0));
      expect(count * parts.join("").length).toBeLessThanOrEqual(rememberedCharsMax + 100 * 253);
      expect(count).toBeLessThan(1_000);
      expect(knows(count - 1)).toBe(true);
    }
  });
});
