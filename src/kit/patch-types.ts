/** What patches look like, each form for objects of a type. */

import type { PatchType } from "../machinery/patch/media-types.ts";

/**
 * Any part of an object: what `apply` takes. Items of lists are whole.
 * @example
 * const part: Part<Deployment> = { spec: { replicas: 3 } };
 */
export type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;

/**
 * A patch of the type "merge": members that it has replace those of the object, and null removes one. Lists are whole.
 * @example
 * const patch: MergePatch<ConfigMap> = { data: { old: null, new: "1" } };
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: MergePatch<T[K]> | null }
    : T;

/**
 * A patch of the type "strategic": lists of objects are merged by their keys, and directives say what else is to be done.
 * @example
 * const patch: StrategicPatch<Pod> = { spec: { containers: [{ name: "web", image: "web:2" }] } };
 */
export type StrategicPatch<T> = T extends readonly (infer Item)[]
  ? readonly StrategicPatch<Item>[]
  : T extends object
    ? { [K in keyof T]?: StrategicPatch<T[K]> | null } & StrategicDirectives
    : T;

/**
 * What a strategic patch says beside members.
 * @example
 * const patch: StrategicPatch<Pod> = { spec: { volumes: [{ name: "old", $patch: "delete" }] } };
 */
export interface StrategicDirectives {
  readonly $patch?: "replace" | "merge" | "delete";
  readonly $retainKeys?: readonly string[];
  readonly [order: `$setElementOrder/${string}`]: readonly unknown[];
  readonly [deletion: `$deleteFromPrimitiveList/${string}`]: readonly unknown[];
}

/**
 * One step of a patch of the type "json", as RFC 6902 has it.
 * @example
 * const steps: JsonOperation[] = [{ op: "test", path: "/data/a", value: "1" }, { op: "remove", path: "/data/a" }];
 */
export type JsonOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * A patch of one of the types, "merge" if none is named.
 * @example
 * const patch: Patch<ConfigMap, "json"> = [{ op: "remove", path: "/data/old" }];
 */
export type Patch<T, P extends PatchType = "merge"> = P extends "json"
  ? readonly JsonOperation[]
  : P extends "strategic"
    ? StrategicPatch<T>
    : P extends "apply"
      ? Part<T>
      : MergePatch<T>;
