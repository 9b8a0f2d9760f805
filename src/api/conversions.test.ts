import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../machinery/json/json-value.ts";
import { arbitraryObjects } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow, throughHub } from "../machinery/schema/convert.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { catalog as kinds } from "./catalog.ts";
import { bindVersions } from "./life.suite.ts";

const { catalog } = bindVersions(kinds);
const runs = { numRuns: 60 };

const objectsOf = (kind: BoundKind): fc.Arbitrary<ApiObject> =>
  arbitraryObjects(kind.schema).map((object) => deepFreeze(decodeKind(kind, object)));

/** Members that a version requires and the hub may omit get their zero value on the first trip through it. */
const settled = (version: BoundKind, object: ApiObject) => deepFreeze(throughHub(object, version));

describe("conversions", () => {
  for (const family of catalog.families()) {
    for (const version of family.versions.filter((kind) => kind.declaration.toHub !== undefined)) {
      test(`${version.apiVersion} ${version.kind} survives a second trip through the hub unchanged`, () => {
        const check = (object: ApiObject) => {
          const shown = settled(version, object);
          const hub = deepFreeze(version.toHub(shown));
          expect(version.fromHub(hub)).toEqual(shown);
          expect(version.toHub(version.fromHub(hub))).toEqual(hub);
        };
        fc.assert(fc.property(objectsOf(version), check), runs);
      });

      test(`${version.apiVersion} ${version.kind} survives a trip through every other version`, () => {
        const others = family.versions.filter((other) => other !== version && other !== family.hub);
        const check = (object: ApiObject) => {
          for (const other of others) {
            const shown = settled(other, convertNow(settled(version, object), version, other));
            expect(convertNow(convertNow(shown, other, family.hub), family.hub, other)).toEqual(shown);
          }
        };
        fc.assert(fc.property(objectsOf(version), check), runs);
      });

      test(`${version.apiVersion} ${version.kind} fits its schema after conversion`, () => {
        const check = (object: ApiObject) => {
          const hub = version.toHub(object);
          expect(decodeKind(family.hub, hub)).toEqual(hub);
          const shown = version.fromHub(hub);
          expect(decodeKind(version, shown)).toEqual(shown);
        };
        fc.assert(fc.property(objectsOf(version), check), runs);
      });
    }
  }
});

describe("versions with all fields of the hub", () => {
  const names = ["poddisruptionbudgets", "endpointslices", "events"];
  for (const family of catalog.families().filter(({ hub }) => names.includes(hub.resource))) {
    for (const version of family.versions.filter((kind) => kind.declaration.toHub !== undefined)) {
      test(`${version.apiVersion} ${version.kind} loses nothing`, () => {
        const check = (hub: ApiObject) => {
          expect(version.toHub(version.fromHub(hub))).toEqual(hub);
        };
        fc.assert(fc.property(objectsOf(family.hub), check), runs);
      });
    }
  }
});
