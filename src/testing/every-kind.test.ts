import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyConfiguration } from "../machinery/apply/apply.ts";
import { compare } from "../machinery/apply/compare.ts";
import { fingerprintOf } from "../machinery/apply/fingerprint.ts";
import { Unidentified } from "../machinery/apply/topology.ts";
import { zeroObject } from "../machinery/apply/versions.ts";
import { decodeEnvelope, encodeEnvelope } from "../machinery/codec/envelope.ts";
import { decodeProtobuf, encodeProtobuf } from "../machinery/codec/protobuf.ts";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import { encodeYaml } from "../machinery/codec/yaml-print.ts";
import { decodeJson, encodeJson } from "../machinery/json/json.ts";
import { copyJson, deepFreeze } from "../machinery/json/json-value.ts";
import { arbitraryObject, type Source, seededSource } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow, throughHub } from "../machinery/schema/convert.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import type { StructSchema } from "../machinery/schema/schema.ts";
import { sharingMembers } from "../machinery/schema/shared-members.ts";
import { StatusError } from "../machinery/status/status.ts";
import { rowConditions, tableRow } from "../machinery/table/table.ts";
import { liveCreate, liveUpdate } from "../registry/write.suite.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

/**
 * Together they take a few seconds; a failure prints the seed that repeats it. The kinds of the other vocabulary differ in names alone, so
 * one object of each is enough for them, and a night tries more.
 */
const isLong = process.env["LONG_TESTS"] !== undefined;
const runsIn = {
  orch: { objectsOfEachKind: 15, brokenObjectsOfEachKind: 10 },
  kubernetes: isLong
    ? { objectsOfEachKind: 5, brokenObjectsOfEachKind: 4 }
    : { objectsOfEachKind: 1, brokenObjectsOfEachKind: 1 },
};

const someObject = (kind: BoundKind, source: Source): ApiObject =>
  decodeKind(kind, arbitraryObject(kind.schema, source));

function forEachSeed(runs: number, check: (source: Source) => void): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => check(seededSource(seed))),
    { numRuns: runs },
  );
}

test("every kind can show a bookmark, which has only a version, as a row", () => {
  const environment = testEnvironment();
  for (const kind of allKinds(environment)) {
    const bookmark = decodeKind(kind, { metadata: { resourceVersion: "1" } });
    expect(tableRow(kind, bookmark, environment).length).toBeGreaterThan(0);
    rowConditions(kind, bookmark, environment);
  }
});

for (const [environment, { objectsOfEachKind, brokenObjectsOfEachKind }] of [
  [testEnvironment(), runsIn.orch],
  [testEnvironment({ vocabulary: kubernetes }), runsIn.kubernetes],
] as const) {
  describe(`random objects in the vocabulary ${environment.vocabulary.name}`, () => {
    for (const kind of allKinds(environment)) {
      const name = `${kind.apiVersion} ${kind.kind}`;

      test(`${name}: every form decodes to the same object`, () => {
        forEachSeed(objectsOfEachKind, (source) => {
          const object = someObject(kind, source);
          expect(decodeKind(kind, object)).toEqual(object);
          expect(decodeKind(kind, decodeJson(Buffer.from(encodeJson(object))))).toEqual(object);
          const yaml = Buffer.from(encodeYaml(object));
          if (yaml.length < 64 * 1024) expect(decodeKind(kind, decodeYaml(yaml))).toEqual(object);
          const bytes = encodeEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.schema, object));
          // Protobuf omits fields without a number, and cannot distinguish some absent values; after one trip it can.
          const once = decodeKind(kind, decodeProtobuf(kind.schema, decodeEnvelope(bytes).raw));
          const again = encodeProtobuf(kind.schema, once);
          expect(decodeKind(kind, decodeProtobuf(kind.schema, again))).toEqual(once);
        });
      });

      test(`${name}: defaults, validation, conversions and cells accept any object`, () => {
        forEachSeed(objectsOfEachKind, (source) => {
          live(kind, someObject(kind, source), someObject(kind, source));
        });
      });

      test(`${name}: objects of the same outline set the same fields`, () => {
        forEachSeed(objectsOfEachKind, (source) => {
          const object = someObject(kind, source);
          const other = breakSomewhere(copyJson(object), source) as ApiObject; // so it was, and it need not be one now
          const outline = outlineText(kind, object);
          if (outline !== undefined && outline === outlineText(kind, other))
            expect(fieldsSet(kind, other)).toBe(fieldsSet(kind, object));
        });
      });

      test(`${name}: an invalid object is refused, without other effects`, () => {
        forEachSeed(brokenObjectsOfEachKind, (source) => {
          const broken = breakSomewhere(arbitraryObject(kind.schema, source), source);
          try {
            live(kind, decodeKind(kind, broken), someObject(kind, source));
          } catch (error) {
            if (!(error instanceof StatusError)) throw error;
          }
        });
      });
    }
  });
}

for (const level of goldenLevels) {
  test(`at level ${level} members that an update leaves as they are need not be copied`, () => {
    const hubs = allKinds(testEnvironment({ level })).filter((kind) => kind === kind.hub);
    forEachSeed(5, (source) => {
      for (const kind of hubs) {
        const created = someObject(kind, source);
        const old = deepFreeze(liveCreate(kind, { ...created, metadata: { ...created.metadata, name: "x" } }).hub);
        const shared = sharingMembers(old);
        shared.metadata.labels = { changed: "yes" };
        const copied = liveUpdate(kind, copyJson(shared), old, { fresh: true });
        expect(liveUpdate(kind, shared, old, { fresh: true })).toEqual(copied);
      }
    });
  });
}

for (const level of goldenLevels) {
  test(`at level ${level} an object that an apply creates shares nothing with what later creates are compared with`, () => {
    const now = "2021-01-01T00:00:00Z";
    for (const kind of allKinds(testEnvironment({ level }))) {
      const zero = JSON.stringify(zeroObject(kind));
      // A configuration that repeats the zero object merges into nothing new.
      for (const rest of [{}, emptyStructs(kind.schema)]) {
        const applied = { ...rest, apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: "x" } };
        const object = applyConfiguration({
          kind,
          live: undefined,
          applied,
          manager: "a",
          force: false,
          subresource: "",
          now,
        });
        kind.codec.applyDefaults(object);
        expect(sharedParts(object, zeroObject(kind)), `${kind.apiVersion} ${kind.kind}`).toEqual([]);
      }
      expect(JSON.stringify(zeroObject(kind))).toBe(zero);
    }
  });
}

/** An empty object for every member that may be one, two goldenLevels deep: `{ spec: { podSelector: {} } }`. */
function emptyStructs(schema: StructSchema, depth = 2): Record<string, unknown> {
  const empty: Record<string, unknown> = {};
  for (const [name, { schema: member }] of schema.fields) {
    if (name !== "metadata" && member.type === "struct")
      empty[name] = depth === 1 ? {} : emptyStructs(member, depth - 1);
  }
  return empty;
}

/** The paths of objects and lists that both values hold. */
function sharedParts(value: unknown, other: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || typeof other !== "object" || other === null) return [];
  if (value === other) return [path];
  const theirs = new Map(Object.entries(other));
  return Object.entries(value).flatMap(([name, member]) => sharedParts(member, theirs.get(name), `${path}.${name}`));
}

/** Undefined: there is none. */
function outlineText(kind: BoundKind, object: ApiObject): string | undefined {
  const outline = fingerprintOf(kind, object);
  return outline?.parts
    .slice(0, outline.length)
    .map((part) => `${typeof part} ${String(part)}`)
    .join();
}

function fieldsSet(kind: BoundKind, object: ApiObject): string {
  try {
    return JSON.stringify(compare(kind.schema, zeroObject(kind), object));
  } catch (error) {
    if (error instanceof Unidentified) return "none";
    throw error;
  }
}

/** Passes an object through everything that its kind declares. */
function live(kind: BoundKind, object: ApiObject, other: ApiObject): void {
  const { family, strategy } = kind;
  const { environment, hub } = family;
  const settled = copyJson(object);
  kind.codec.applyDefaults(settled);
  const again = copyJson(settled);
  kind.codec.applyDefaults(again);
  expect(again, "defaults are complete after the first pass").toEqual(settled);
  const shown = throughHub(settled, kind);
  expect(throughHub(shown, kind), "a round trip changes nothing more").toEqual(shown);

  const ref = { name: object.metadata.name ?? "", namespace: object.metadata.namespace ?? "" };
  const old = liveCreate(kind, { ...other, metadata: { ...other.metadata, ...ref } }).hub;
  if (ref.name !== "") liveUpdate(kind, copyJson(object), old);
  const next = deepFreeze(liveCreate(kind, object).hub);
  for (const version of family.versions) convertNow(convertNow(next, hub, version), version, hub);
  for (const select of Object.values(strategy.selectableFields ?? {}))
    expect(typeof select(next, environment)).toBe("string");
  for (const version of family.versions) {
    const view = convertNow(next, hub, version);
    tableRow(version, view, environment);
    rowConditions(version, view, environment);
    for (const subresource of version.subresources.values()) {
      subresource.view?.(view, environment);
      if (subresource.accepts === undefined) subresource.merge?.(view, view, environment);
      subresource.validate?.(view, view, environment);
    }
  }
}

const wrong = [null, true, -1, 1.5, "text", [], {}, [null], { a: 1 }, Number.MAX_SAFE_INTEGER];

/** Replaces one or two values with values of another type. */
function breakSomewhere(object: Record<string, unknown>, source: Source): Record<string, unknown> {
  const places: (() => void)[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const holder = value as Record<string, unknown>; // an array has its positions for keys
    for (const key of Object.keys(holder)) {
      places.push(() => {
        holder[key] = copyJson(wrong[source.below(wrong.length)]);
      });
      visit(holder[key]);
    }
  };
  visit(object);
  for (let count = 0; count < 2 && places.length > 0; count++) places[source.below(places.length)]?.();
  return object;
}
