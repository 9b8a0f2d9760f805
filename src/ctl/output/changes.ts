/** The changes of watched objects: each one compared with its previous state, with the values of Secrets masked. */

import { unifiedDiff } from "../../base/unified-diff.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { copy, type Json, kindOf, nameOf, namespaceOf, object } from "../json.ts";

export class ChangedLines {
  readonly #known = new Map<string, Json>();

  /** The changed lines; "" for an added or deleted object. */
  note(type: string, value: Json): string {
    const key = `${kindOf(value)}/${namespaceOf(value)}/${nameOf(value)}`;
    const before = this.#known.get(key);
    const { managedFields: _, ...metadata } = object(value, "metadata");
    const after = { ...value, metadata };
    if (type === "DELETED") this.#known.delete(key);
    else this.#known.set(key, after);
    if (type !== "MODIFIED") return "";
    const [old, next] = [copy(before ?? {}), copy(after)];
    maskSecret(old, next);
    return unifiedDiff(before === undefined ? "" : encodeYaml(old), encodeYaml(next));
  }
}

/** Masks the values of a Secret in both states, so that only a difference is visible. */
export function maskSecret(before: Json | undefined, after: Json): void {
  if (kindOf(after) !== "Secret") return;
  const [old, next] = [object(before, "data"), object(after, "data")];
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const isSame = old[key] === next[key];
    if (Object.hasOwn(old, key)) old[key] = isSame || !Object.hasOwn(next, key) ? "***" : "*** (before)";
    if (Object.hasOwn(next, key)) next[key] = isSame || old[key] === undefined ? "***" : "*** (after)";
  }
}
