/** The operations of a JSON patch that make one value of another. Lists that differ are replaced as a whole. */

import { isObject, sameJson } from "../../machinery/json/json-value.ts";

export interface PatchOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

export function jsonDifference(before: unknown, after: unknown, path = ""): PatchOperation[] {
  if (!isObject(before) || !isObject(after))
    return sameJson(before, after) ? [] : [{ op: "replace", path, value: after }];
  const operations: PatchOperation[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    // A member that is undefined is not sent, so it is absent.
    if (after[name] === undefined) {
      if (before[name] !== undefined) operations.push({ op: "remove", path: at });
    } else if (before[name] === undefined) operations.push({ op: "add", path: at, value: after[name] });
    else operations.push(...jsonDifference(before[name], after[name], at));
  }
  return operations;
}
