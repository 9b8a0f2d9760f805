/** What expressions make patches of: the types `Object`, `Object.spec`, … and `JSONPatch`, and how keys are escaped in paths. */

import { dyn, listOf, type ObjectType, objectType, string, type Type } from "../types/types.ts";
import { declare, type Overload, overload, traversal } from "./declaration.ts";

/** The name of the type of a whole object; types of its fields are `Object.spec`, `Object.spec.template`. */
const rootName = "Object";

/** An apply configuration. */
export const configurationType: ObjectType = openType(rootName);

export const jsonPatchType = objectType(
  "JSONPatch",
  new Map([
    ["op", string],
    ["path", string],
    ["from", string],
    ["value", dyn],
  ]),
);
export const jsonPatchListType: Type = listOf(jsonPatchType);

/** The type that `Name{…}` makes; undefined: expressions cannot make objects of that name. */
export function patchType(name: string): ObjectType | undefined {
  if (name === jsonPatchType.name) return jsonPatchType;
  if (name === rootName) return configurationType;
  return name.startsWith(`${rootName}.`) ? openType(name) : undefined;
}

/** Which fields an object has is known only when the patch is applied. */
function openType(name: string): ObjectType {
  return { ...objectType(name), isOpen: true };
}

const escapeKey = declare(
  "jsonpatch.escapeKey",
  "1.32",
  overload([string], string, ([key]) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"), traversal(0, 1, true)),
);

const extended = new WeakMap<ReadonlyMap<string, readonly Overload[]>, ReadonlyMap<string, readonly Overload[]>>();

/** The functions with those that only patches need. */
export function withPatchFunctions(
  functions: ReadonlyMap<string, readonly Overload[]>,
): ReadonlyMap<string, readonly Overload[]> {
  let known = extended.get(functions);
  if (known === undefined) {
    known = new Map([...functions, [escapeKey.name, escapeKey.overloads]]);
    extended.set(functions, known);
  }
  return known;
}
