/**
 * The fingerprint of an object: the parts that decide which fields it sets, and nothing else. Objects of one kind with the
 * same fingerprint set the same fields.
 *
 * Worked example, for a kind whose zero object is { kind: "Sample", metadata: {}, replicas: 0 }; a number stands for a
 * declared member, and `end` closes what was opened:
 *
 *   { kind: "Sample", metadata: { labels: { a: "1" } }, parts: [{ name: "x", size: 5 }], replicas: 3 }
 *   kind true, 3 1 "a" end end, 7 "x" 0 2 end end, 9 false, end
 *
 * Values appear only if they distinguish items or if the zero object has a value too.
 */

import { isObject, sameJson } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ListSchema, MapSchema, Schema, StructSchema } from "../schema/schema.ts";
import { grainOf, isWide, listPlan } from "./topology.ts";
import { zeroObject } from "./versions.ts";

export type FingerprintPart = string | number | boolean | bigint | symbol | undefined;

/** A fingerprint of more parts, or with longer texts, is not recorded: few objects are so large, and remembering one costs memory. */
export const fingerprintPartsMax = 2_000;
const textCharsMax = 253;

/** The fingerprint that was recorded last. */
export interface Fingerprint {
  readonly parts: readonly FingerprintPart[];
  readonly length: number;
  /** Characters of all texts in it. */
  readonly chars: number;
  /** A hash: the same for the same fingerprint; other fingerprints may share it. */
  readonly hash: number;
}

const end = Symbol("end");
const none = Symbol("none");

/** One for all, since it is read before the next one is recorded: most fingerprints are known, and need not be kept. */
class FingerprintRecorder implements Fingerprint {
  readonly parts: FingerprintPart[] = [];
  length = 0;
  chars = 0;
  hash = 0;

  begin(): void {
    this.length = 0;
    this.chars = 0;
    this.hash = 0;
  }

  /** False: the fingerprint is full. */
  mark(part: FingerprintPart): boolean {
    if (this.length === fingerprintPartsMax) return false;
    this.parts[this.length++] = part;
    return true;
  }

  member(rank: number): boolean {
    this.hash = (Math.imul(this.hash, 31) + rank + 1) | 0;
    return this.mark(rank);
  }

  /** False: it is not a scalar, or is too long. */
  scalar(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        if (value.length > textCharsMax) return false;
        this.chars += value.length;
        this.hash = (Math.imul(this.hash, 31) + hashOf(value)) | 0;
        return this.mark(value);
      case "number":
        this.hash = (Math.imul(this.hash, 31) + value) | 0;
        return this.mark(value);
      case "boolean":
      case "bigint":
      case "undefined":
        return this.mark(value);
      default:
        return false;
    }
  }
}

const recorder = new FingerprintRecorder();

/** A few characters are enough: names that share them all differ in length most of the time. */
function hashOf(text: string): number {
  const { length } = text;
  if (length === 0) return 7;
  const [first, middle, last] = [text.charCodeAt(0), text.charCodeAt(length >> 1), text.charCodeAt(length - 1)];
  return length + 37 * first + 1_369 * middle + 50_653 * last;
}

/**
 * The fingerprint of an object that is about to be created, without managedFields; to be read before the next one is
 * recorded. Undefined: it is too large, or not described by its schema alone.
 */
export function fingerprintOf(kind: BoundKind, object: ApiObject): Fingerprint | undefined {
  let record = recordings.get(kind);
  if (record === undefined) {
    record = recordStruct(kind.codec.topology, zeroObject(kind));
    recordings.set(kind, record);
  }
  recorder.begin();
  return record(object) ? recorder : undefined;
}
const recordings = new WeakMap<BoundKind, RecordValue>();

/** Records a value that is present; false: it cannot be recorded. */
type RecordValue = (value: unknown) => boolean;

interface Member {
  readonly rank: number;
  /** Undefined: only its presence matters. */
  readonly record: RecordValue | undefined;
}

type Zero = Readonly<Record<string, unknown>>;

function recordStruct(schema: StructSchema, zero: Zero | undefined): RecordValue {
  // Made on first use, since a struct may contain itself.
  let members: ReadonlyMap<string, Member> | undefined;
  return (value) => {
    if (value === null) return recorder.mark(none);
    if (!isObject(value) || isWide(schema)) return false;
    members ??= membersOf(schema, zero);
    for (const name in value) {
      const given = value[name];
      if (given === undefined) continue;
      const member = members.get(name);
      if (member === undefined || !recorder.member(member.rank)) return false;
      if (member.record !== undefined && !member.record(given)) return false;
    }
    return recorder.mark(end);
  };
}

function membersOf(schema: StructSchema, zero: Zero | undefined): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  for (const [name, field] of schema.fields) {
    const before = zero !== undefined && Object.hasOwn(zero, name) ? zero[name] : undefined;
    members.set(name, { rank: members.size, record: recordMember(field.schema, before) });
  }
  // The kind and apiVersion of an object are beside its declared members.
  for (const [name, before] of Object.entries(zero ?? {})) {
    if (!members.has(name)) members.set(name, { rank: members.size, record: recordEqual(before) });
  }
  return members;
}

function recordMember(schema: Schema, zero: unknown): RecordValue | undefined {
  const isThere = zero !== undefined && zero !== null;
  if (schema.type === "json" && schema.topology === "granular") return () => false;
  if (grainOf(schema) === "whole") return zero === undefined ? undefined : (value) => recordSame(zero, value);
  if (schema.type === "struct") return recordStruct(schema, isObject(zero) ? zero : undefined);
  // The zero of a list or map is absent; only a struct is present while empty.
  if (isThere) return () => false;
  return schema.type === "list" ? recordList(schema) : recordMap(schema as MapSchema); // by its grain
}

const recordSame = (zero: unknown, value: unknown): boolean => recorder.mark(sameJson(zero, value));

/** Only scalars are recorded of parts without a schema. */
const recordEqual =
  (zero: unknown): RecordValue =>
  (value) =>
    (typeof value !== "object" || value === null) && recordSame(zero, value);

function recordList(schema: ListSchema): RecordValue {
  const { items } = schema;
  const keys = listPlan(schema)?.keys;
  const inside = recordMember(items, undefined);
  return (value) => {
    if (value === null) return recorder.mark(none);
    if (!Array.isArray(value)) return false;
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (keys === undefined) {
        if (!recorder.scalar(item)) return false;
        continue;
      }
      if (!isObject(item)) return false;
      for (const key of keys) if (!recorder.scalar(Object.hasOwn(item, key) ? item[key] : undefined)) return false;
      if (inside !== undefined && !inside(item)) return false;
    }
    return recorder.mark(end);
  };
}

function recordMap(schema: MapSchema): RecordValue {
  const inside = recordMember(schema.values, undefined);
  return (value) => {
    if (value === null) return recorder.mark(none);
    if (!isObject(value)) return false;
    for (const name in value) {
      const given = value[name];
      if (given === undefined) continue;
      if (!recorder.scalar(name)) return false;
      if (inside !== undefined && !inside(given)) return false;
    }
    return recorder.mark(end);
  };
}
