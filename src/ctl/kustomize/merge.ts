/**
 * Strategic merges as kustomize performs them, which differ from those of a server: what a patch adds to a list comes first,
 * an item is never replaced as a whole, and directives for the order of lists and for retained keys are ordinary members.
 */

import { CtlError } from "../errors.ts";
import { mergeItems } from "./merge-list.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { isAbsent, isMembers, isNull, isScalar, type Members, put, textOf, type YamlValue } from "./value.ts";

/** Changes `target` and returns the result, of which `patch` becomes a part; undefined: the patch removes it. */
export function merge(
  target: YamlValue | undefined,
  patch: YamlValue | undefined,
  schema: MergeSchema | undefined,
): YamlValue | undefined {
  const first = isAbsent(target) ? patch : target;
  if (first === undefined || isNull(first)) return mergeAbsent(target, patch);
  if (isMembers(first))
    return mergeMembers(sameType(target, isMembers, "MappingNode"), sameType(patch, isMembers, "MappingNode"), schema);
  if (Array.isArray(first)) {
    const [list, changes] = [
      sameType(target, Array.isArray, "SequenceNode"),
      sameType(patch, Array.isArray, "SequenceNode"),
    ];
    if (schema?.mergeKeys === undefined) return patch === undefined ? target : patch;
    return mergeList(list, changes, { schema, keys: schema.mergeKeys });
  }
  sameType(target, isScalar, "ScalarNode");
  sameType(patch, isScalar, "ScalarNode");
  return patch === undefined ? target : patch;
}

/** Both are null or missing. A null that was written stays as long as no patch names it. */
function mergeAbsent(target: YamlValue | undefined, patch: YamlValue | undefined): YamlValue | undefined {
  return patch === undefined && target !== undefined && textOf(target) !== "" ? target : undefined;
}

/** Members of the wrong type are an error; null is not. */
function sameType<T extends YamlValue>(
  value: YamlValue | undefined,
  isType: (value: YamlValue) => value is T,
  wanted: string,
): T | null | undefined {
  if (value === undefined) return undefined;
  if (isNull(value)) return null;
  if (isType(value)) return value;
  const found = isMembers(value) ? "MappingNode" : Array.isArray(value) ? "SequenceNode" : "ScalarNode";
  throw new CtlError(`wrong node kind: expected ${wanted} but got ${found}`);
}

function mergeMembers(
  target: Members | null | undefined,
  patch: Members | null | undefined,
  schema: MergeSchema | undefined,
): YamlValue | undefined {
  const directive = patch === undefined || patch === null ? "merge" : takeDirective(patch);
  if (directive === "delete") return undefined;
  if (target !== undefined && target !== null && patch === null) return undefined;
  const result = target === undefined || target === null || directive === "replace" ? patch : target;
  if (result === undefined || result === null) return undefined;
  const changes = patch ?? undefined;
  for (const name of new Set([...Object.keys(result), ...Object.keys(changes ?? {})])) {
    const before = Object.hasOwn(result, name) ? result[name] : undefined;
    const change = changes !== undefined && Object.hasOwn(changes, name) ? changes[name] : undefined;
    const merged = merge(before, change, schema?.field(name));
    if (merged === undefined || (isNull(merged) && merged !== before)) delete result[name];
    else put(result, name, merged);
  }
  return result;
}

function mergeList(
  target: YamlValue[] | null | undefined,
  patch: YamlValue[] | null | undefined,
  { schema, keys }: { readonly schema: MergeSchema; readonly keys: readonly string[] },
): YamlValue | undefined {
  if (target === undefined || target === null)
    return patch === undefined || patch === null ? undefined : mergeItems(patch, patch, schema, keys, merge);
  if (patch === null) return undefined;
  const directive = patch === undefined ? "merge" : takeListDirective(patch);
  if (directive === "delete") return undefined;
  const result = directive === "replace" && patch !== undefined ? patch : target;
  return mergeItems(result, patch, schema, keys, merge);
}

type Directive = "merge" | "replace" | "delete";

function takeDirective(patch: Members): Directive {
  if (!Object.hasOwn(patch, "$patch")) return "merge";
  const directive = asDirective(patch["$patch"]);
  delete patch["$patch"];
  return directive;
}

function asDirective(value: YamlValue | undefined): Directive {
  const text = textOf(value);
  if (text === "merge" || text === "replace" || text === "delete") return text;
  throw new CtlError(`unknown patch strategy '${text}'`);
}

/** An item that has nothing but a directive means the list. */
function takeListDirective(patch: YamlValue[]): Directive {
  const found = patch.find((item) => isMembers(item) && Object.hasOwn(item, "$patch"));
  if (!isMembers(found) || Object.keys(found).length > 1) return "merge";
  const directive = asDirective(found["$patch"]);
  patch.splice(patch.indexOf(found), 1);
  return directive;
}
