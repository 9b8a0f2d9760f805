/** Types of values that a schema declares: how expressions see them, how large they may be, and how JSON is read. */

import type { ObjectType, Type } from "../types/types.ts";
import type { Value } from "../values/values.ts";

export interface DeclaredType {
  readonly type: Type;
  /** The most items, entries or characters that a value may have; 0 for values that have no size. */
  readonly sizeMax: number;
  /** The least bytes that a value takes in JSON. */
  readonly bytesMin: number;
  /** JSON that does not have the type is an error. */
  read(json: unknown): Value;
  /** The items of a list, or the values of a map. */
  readonly item?: DeclaredType | undefined;
  /** The fields of an object, under each name that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclaredField> | undefined;
}

export interface DeclaredField {
  /** The name in JSON. */
  readonly property: string;
  readonly declared: DeclaredType;
}

export interface DeclaredObject extends DeclaredType {
  readonly type: ObjectType;
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** By name in JSON. */
  readonly properties: ReadonlyMap<string, DeclaredType>;
}

/** Bounds for estimates: the first step of a path is a variable of this type. */
export function sizeBound(root: DeclaredType): (path: readonly string[]) => number | undefined {
  return (path) => {
    let at: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") at = at.item;
      // Names of members are not bounded by a schema, and do not count.
      else if (step === "@keys") return at.type.kind === "map" ? 0 : undefined;
      else at = at.fields?.get(step)?.declared;
      if (at === undefined) return undefined;
    }
    return at.sizeMax;
  };
}
