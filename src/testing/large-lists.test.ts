/** Objects with long lists: code that reads a list reads each item a few times, however many there are. */

import { expect, test } from "vitest";
import { copyJson, isObject } from "../machinery/json/json-value.ts";
import { fullObject } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow, throughHub } from "../machinery/schema/convert.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { defaultKind } from "../machinery/schema/default-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { goldenLevels, levelDefault } from "../machinery/schema/levels.ts";
import type { ListSchema, MapSchema, Schema, StructSchema } from "../machinery/schema/schema.ts";
import { rowConditions, tableRow } from "../machinery/table/table.ts";
import { liveCreate, liveUpdate } from "../registry/write.suite.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

const few = 16;
const many = 4 * few;
/** Four times the items take four times the reads, and sorting a little more. Reading all for each would take sixteen times. */
const growthMax = 6;

/** By kind, lists that are multiplied by what is beside them, and why that is bounded. */
const multiplied: Readonly<Record<string, readonly string[]>> = {
  // v1 repeats for each version what others have once; decoding limits the members of the object.
  CustomResourceDefinition: ["spec.versions", "spec.additionalPrinterColumns"],
  // Each of one list is compared with each of the other, up to `sysctlPairsMax`.
  PodSecurityPolicy: ["spec.allowedUnsafeSysctls", "spec.forbiddenSysctls"],
};

type Path = readonly string[];

/** Kinds of a higher level that the default one has as well are tried in the long form: most of what they declare is the same. */
const isLong = process.env["LONG_TESTS"] !== undefined;
const nameOf = ({ apiVersion, kind }: BoundKind) => `${apiVersion} ${kind}`;
const usual = new Set(allKinds(testEnvironment()).map(nameOf));
const kinds = goldenLevels.flatMap((level) =>
  allKinds(testEnvironment({ level })).filter((kind) => level === levelDefault || isLong || !usual.has(nameOf(kind))),
);
/** Structs are shared by kinds, and so are the checks of them but for the spec and the status. */
const visited = new Set<Schema>();
/** It counts reads, not time, and a busy machine may be slow. */
const longMs = 600_000;

for (const kind of kinds) {
  if (kind !== kind.family.hub) continue; // what other versions declare is on the way of the hub as well
  const found: Place[] = [];
  find(kind.schema, [], (place) => found.push(place));
  test(
    `${nameOf(kind)} of ${kind.family.environment.level}: every list and map is read a bounded number of times, however long it is`,
    () => {
      const full = decodeKind(kind, fullObject(kind.schema));
      defaultKind(kind, full);
      const tooOften = groupsOf(kind, found).flatMap((places) =>
        (["equal", "different"] as const).flatMap((sort) => {
          const before = looks(kind, full, places, few, sort);
          return looks(kind, full, places, many, sort).flatMap((count, at) => {
            const growth = count / before[at]!;
            return growth < growthMax ? [] : [`${places[at]?.path.join(".")}, ${sort}: ${growth.toFixed(1)} times`];
          });
        }),
      );
      expect(tooOften).toEqual([]);
    },
    longMs,
  );
}

/**
 * Lists of one struct are long together, so that what compares each of one with each of another shows. In the long form each of them is
 * long alone, too: beside others a check may end before it comes to it.
 */
function groupsOf(kind: BoundKind, places: readonly Place[]): (readonly Place[])[] {
  const alone = places.filter(({ path, struct }) => struct === undefined || isMultiplied(kind, path));
  const together = new Map<string, Place[]>();
  for (const place of places) {
    if (alone.includes(place)) continue;
    const holder = place.path.slice(0, -1).join(".");
    together.set(holder, [...(together.get(holder) ?? []), place]);
  }
  const groups = [...alone.map((place) => [place]), ...together.values()];
  return isLong ? [...groups, ...[...together.values()].flat().map((place) => [place])] : groups;
}

interface Place {
  /** "*" is the first member of a list or map. */
  readonly path: Path;
  readonly schema: ListSchema | MapSchema;
  /** The struct that it is in; undefined: it is in another list or map. */
  readonly struct: StructSchema | undefined;
}

function find(schema: StructSchema, at: Path, take: (place: Place) => void): void {
  if (visited.has(schema) && (at.length > 1 || at[0] === "metadata")) return;
  visited.add(schema);
  const into = (inner: Schema, path: Path) => {
    if (inner.type === "struct") find(inner, path, take);
    if (inner.type !== "list" && inner.type !== "map") return;
    take({ path, schema: inner, struct: path.at(-1) === "*" ? undefined : schema });
    into(inner.type === "list" ? inner.items : inner.values, [...path, "*"]);
  };
  for (const [name, field] of schema.fields) {
    // Those that protobuf has no number for are not in a full object.
    if (field.number !== 0) into(field.schema, [...at, name]);
  }
}

/** How often parts of each of the lists are read while objects with all of them pass through everything that their kind declares. */
function looks(
  kind: BoundKind,
  full: ApiObject,
  places: readonly Place[],
  length: number,
  sort: "equal" | "different",
): number[] {
  const counts = places.map(() => 0);
  const watched = (value: unknown, at: number): unknown => {
    if (typeof value !== "object" || value === null) return value;
    return new Proxy(value, {
      get(target, key, receiver) {
        counts[at]!++;
        return Reflect.get(target, key, receiver);
      },
    });
  };
  /** Half of the members of two objects are the same. */
  const make = (isOld = false): ApiObject => {
    const object = copyJson(full);
    for (const [at, { path, schema }] of places.entries()) {
      const holder = holderOf(object, path);
      const name = path.at(-1)!;
      const [first] = Object.values(holder?.[name] ?? {});
      if (holder === undefined || first === undefined) continue;
      const inner = schema.type === "list" ? schema.items : schema.values;
      const all = Array.from({ length }, (_, index) => {
        const id = isOld ? index + length / 2 : index;
        return [`key-${id}`, watched(sort === "equal" ? copyJson(first) : different(inner, first, id), at)] as const;
      });
      holder[name] = watched(schema.type === "list" ? all.map(([, member]) => member) : Object.fromEntries(all), at);
    }
    return object;
  };
  live(kind, make);
  // Reads of other fields count too, so that a few passes over the list are not a large growth.
  return counts.map((count) => count + few);
}

const isMultiplied = ({ kind }: BoundKind, path: Path) => multiplied[kind]?.includes(path.join(".")) ?? false;

function holderOf(object: object, path: Path): Record<string, unknown> | undefined {
  let holder: unknown = object;
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== "object" || holder === null) return undefined;
    holder = step === "*" ? Object.values(holder)[0] : (holder as Record<string, unknown>)[step];
  }
  return isObject(holder) ? holder : undefined;
}

/** A copy that differs in its texts and numbers. */
function different(schema: Schema, value: unknown, id: number): unknown {
  switch (schema.type) {
    case "string":
      return `${value}${id}`;
    case "int32":
    case "int64":
      return Number(value) + id;
    case "list":
      return Array.isArray(value) ? value.map((item) => different(schema.items, item, id)) : value;
    case "struct": {
      if (!isObject(value)) return value;
      const members = Object.entries(value).map(([name, member]) => {
        const field = schema.fields.get(name);
        return [name, field === undefined ? member : different(field.schema, member, id)];
      });
      return Object.fromEntries(members);
    }
    default:
      return value;
  }
}

/** Passes an object through everything that its kind declares. */
function live(kind: BoundKind, make: (isOld?: boolean) => ApiObject): void {
  const { family } = kind;
  const { hub, environment } = family;
  liveCreate(kind, make());
  liveUpdate(kind, make(), make(true), { fresh: true });
  const inHub = (isOld = false) => convertNow(throughHub(make(isOld), kind), kind, hub);
  const next = inHub();
  for (const version of family.versions) {
    const view = convertNow(next, hub, version);
    convertNow(view, version, hub);
    tableRow(version, view, environment);
    rowConditions(version, view, environment);
    for (const subresource of version.subresources.values()) {
      const old = convertNow(inHub(true), hub, version);
      subresource.view?.(view, environment);
      if (subresource.accepts === undefined) subresource.merge?.(view, old, environment);
      subresource.validate?.(view, old, environment);
    }
  }
}
