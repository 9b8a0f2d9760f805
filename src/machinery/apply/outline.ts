/**
 * The outline of an object: the parts that decide which fields it sets, and nothing else. Objects of one kind with the
 * same outline set the same fields.
 *
 * Worked example, for a kind whose zero object is { kind: "Sample", metadata: {}, replicas: 0 }; a number stands for a
 * declared member, and `end` closes what was opened:
 *
 *   { kind: "Sample", metadata: { labels: { a: "1" } }, parts: [{ name: "x", size: 5 }], replicas: 3 }
 *   kind true, 3 1 "a" end end, 7 "x" 0 2 end end, 9 false, end
 *
 * Values appear only if they distinguish items or if the zero object has a value too.
 */

import type { BoundKind } from "../schema/catalog.ts";
import { isObject, sameJson } from "../schema/json-value.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ListSchema, MapSchema, Schema, StructSchema } from "../schema/schema.ts";
import { grainOf, isWide, listPlan } from "./topology.ts";
import { zeroObject } from "./versions.ts";

export type Part = string | number | boolean | bigint | symbol | undefined;

/** An outline of more parts, or with longer texts, is not recorded: few objects are so large, and remembering one costs memory. */
export const outlinePartsMax = 2_000;
const textCharsMax = 253;

/** The outline that was recorded last. */
export interface Outline {
  readonly parts: readonly Part[];
  readonly length: number;
  /** Characters of all texts in it. */
  readonly chars: number;
  /** A hash: the same for the same outline; other outlines may share it. */
  readonly hash: number;
}

const end = Symbol("end");
const none = Symbol("none");

/** One for all, since it is read before the next one is recorded: most outlines are known, and need not be kept. */
class Pencil implements Outline {
  readonly parts: Part[] = [];
  length = 0;
  chars = 0;
  hash = 0;

  begin(): void {
    this.length = 0;
    this.chars = 0;
    this.hash = 0;
  }

  /** False: the outline is full. */
  mark(part: Part): boolean {
    if (this.length === outlinePartsMax) return false;
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

const pencil = new Pencil();

/** A few characters are enough: names that share them all differ in length most of the time. */
function hashOf(text: string): number {
  const { length } = text;
  if (length === 0) return 7;
  const [first, middle, last] = [text.charCodeAt(0), text.charCodeAt(length >> 1), text.charCodeAt(length - 1)];
  return length + 37 * first + 1_369 * middle + 50_653 * last;
}

/**
 * The outline of an object that is about to be created, without managedFields; to be read before the next one is
 * recorded. Undefined: it is too large, or not described by its schema alone.
 */
export function outlineOf(kind: BoundKind, object: ApiObject): Outline | undefined {
  let draw = drawings.get(kind);
  if (draw === undefined) {
    draw = drawStruct(kind.codec.topology, zeroObject(kind));
    drawings.set(kind, draw);
  }
  pencil.begin();
  return draw(object) ? pencil : undefined;
}
const drawings = new WeakMap<BoundKind, Draw>();

/** Records a value that is present; false: it cannot be recorded. */
type Draw = (value: unknown) => boolean;

interface Member {
  readonly rank: number;
  /** Undefined: only its presence matters. */
  readonly draw: Draw | undefined;
}

type Zero = Readonly<Record<string, unknown>>;

function drawStruct(schema: StructSchema, zero: Zero | undefined): Draw {
  // Made on first use, since a struct may contain itself.
  let members: ReadonlyMap<string, Member> | undefined;
  return (value) => {
    if (value === null) return pencil.mark(none);
    if (!isObject(value) || isWide(schema)) return false;
    members ??= membersOf(schema, zero);
    for (const name in value) {
      const given = value[name];
      if (given === undefined) continue;
      const member = members.get(name);
      if (member === undefined || !pencil.member(member.rank)) return false;
      if (member.draw !== undefined && !member.draw(given)) return false;
    }
    return pencil.mark(end);
  };
}

function membersOf(schema: StructSchema, zero: Zero | undefined): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  for (const [name, field] of schema.fields) {
    const before = zero !== undefined && Object.hasOwn(zero, name) ? zero[name] : undefined;
    members.set(name, { rank: members.size, draw: drawMember(field.schema, before) });
  }
  // The kind and apiVersion of an object are beside its declared members.
  for (const [name, before] of Object.entries(zero ?? {})) {
    if (!members.has(name)) members.set(name, { rank: members.size, draw: drawEqual(before) });
  }
  return members;
}

function drawMember(schema: Schema, zero: unknown): Draw | undefined {
  const isThere = zero !== undefined && zero !== null;
  if (schema.type === "json" && schema.topology === "granular") return () => false;
  if (grainOf(schema) === "whole") return zero === undefined ? undefined : (value) => drawSame(zero, value);
  if (schema.type === "struct") return drawStruct(schema, isObject(zero) ? zero : undefined);
  // The zero of a list or map is absent; only a struct is present while empty.
  if (isThere) return () => false;
  return schema.type === "list" ? drawList(schema) : drawMap(schema as MapSchema); // by its grain
}

const drawSame = (zero: unknown, value: unknown): boolean => pencil.mark(sameJson(zero, value));

/** Of parts without a schema only scalars are recorded. */
const drawEqual =
  (zero: unknown): Draw =>
  (value) =>
    (typeof value !== "object" || value === null) && drawSame(zero, value);

function drawList(schema: ListSchema): Draw {
  const { items } = schema;
  const keys = listPlan(schema)?.keys;
  const inside = drawMember(items, undefined);
  return (value) => {
    if (value === null) return pencil.mark(none);
    if (!Array.isArray(value)) return false;
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (keys === undefined) {
        if (!pencil.scalar(item)) return false;
        continue;
      }
      if (!isObject(item)) return false;
      for (const key of keys) if (!pencil.scalar(Object.hasOwn(item, key) ? item[key] : undefined)) return false;
      if (inside !== undefined && !inside(item)) return false;
    }
    return pencil.mark(end);
  };
}

function drawMap(schema: MapSchema): Draw {
  const inside = drawMember(schema.values, undefined);
  return (value) => {
    if (value === null) return pencil.mark(none);
    if (!isObject(value)) return false;
    for (const name in value) {
      const given = value[name];
      if (given === undefined) continue;
      if (!pencil.scalar(name)) return false;
      if (inside !== undefined && !inside(given)) return false;
    }
    return pencil.mark(end);
  };
}
