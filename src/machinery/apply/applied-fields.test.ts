/** What applies of similar configurations share is what each would compute alone. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { encodeJson } from "../json/json.ts";
import { arbitraryObject, seededSource } from "../schema/arbitrary.suite.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import type { ApiObject } from "../schema/kind.ts";
import { appliedFields, emptyFields, omittedFields, withoutStripped } from "./applied-fields.ts";
import { difference, type FieldSet } from "./field-set.ts";
import { merge } from "./merge.ts";
import { strippedFields } from "./resets.ts";
import { sample } from "./sample-kind.suite.ts";
import { toFieldSet } from "./to-field-set.ts";

const { topology } = sample.codec;
const config = (spec: object): ApiObject => ({
  apiVersion: sample.apiVersion,
  kind: sample.kind,
  metadata: { name: "a" },
  spec,
});
const seeds = fc.integer({ min: 0, max: 300 });
const objectOf = (seed: number) => arbitraryObject(sample.schema, seededSource(seed)) as ApiObject;

describe("the fields of a configuration", () => {
  test("are those that it sets, whatever was applied before", () => {
    fc.assert(
      fc.property(fc.array(seeds, { minLength: 20 }), (all) => {
        for (const seed of all) {
          const applied = objectOf(seed);
          const set = finish(appliedFields(sample, applied));
          expect(set).toEqual(toFieldSet(topology, applied));
          expect(withoutStripped(set)).toEqual(difference(set, strippedFields));
        }
      }),
    );
  });

  test("are one set for configurations that differ in values only", () => {
    const setOf = (replicas: number) =>
      withoutStripped(finish(appliedFields(sample, config({ replicas, colors: { a: `${replicas}` } }))));
    setOf(1);
    expect(setOf(2)).toBe(setOf(3));
    expect(finish(appliedFields(sample, config({ colors: { b: "1" } })))).not.toEqual(setOf(2));
  });

  test("are compared with those of a former configuration, again and again", () => {
    fc.assert(
      fc.property(seeds, seeds, (a, b) => {
        const [former, next] = [a, b].map((seed) => finish(appliedFields(sample, objectOf(seed)))) as [
          FieldSet,
          FieldSet,
        ];
        for (const _ of [1, 2]) {
          expect(omittedFields(next, former)).toEqual(difference(former, next));
        }
      }),
    );
  });

  test("are told apart where they are empty maps or lists", () => {
    const empty = (spec: object) => finish(emptyFields(sample, config(spec)));
    expect(empty({ replicas: 1, colors: { a: "1" } })).toEqual({});
    expect(empty({ replicas: 1, colors: {} })).toEqual({ "f:spec": { "f:colors": {} } });
  });
});

describe("a merged configuration", () => {
  test("shares with the live object all that it does not change", () => {
    const live = config({ replicas: 1, colors: { a: "1" }, parts: [{ name: "x", image: "i" }], atoms: ["q"] });
    const again = JSON.parse(JSON.stringify(live)) as ApiObject;
    expect(merge(topology, live, again)).toBe(live);
    const next = merge(topology, live, { ...again, metadata: { name: "a", labels: { l: "1" } } }) as ApiObject;
    expect(next["spec"]).toBe(live["spec"]);
    expect(live.metadata).toEqual({ name: "a" });
  });
});

describe("an object made from a decoded one", () => {
  test("is decoded to the same with and without it, and shares the members that it has of it", () => {
    fc.assert(
      fc.property(seeds, seeds, (a, b) => {
        const known = decodeKind(sample, objectOf(a));
        const value = { ...known, metadata: objectOf(b).metadata, apiVersion: "other" };
        const decoded = decodeKind(sample, value, known);
        expect(encodeJson(decoded)).toBe(encodeJson(decodeKind(sample, value)));
        expect(decoded["spec"]).toBe(known["spec"]);
        expect(decodeKind(sample, { ...known }, known).metadata).not.toBe(known.metadata);
      }),
    );
  });
});
