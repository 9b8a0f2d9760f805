/** JSON merge patch (RFC 7386): members are merged, null deletes, everything else replaces. */

import { getOwn, isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import type { Environment } from "../schema/environment.ts";
import { badRequest } from "../status/status.ts";

/**
 * The document after the patch; neither argument is changed, and unchanged parts are shared with the document. An array
 * as patch becomes the whole document, as the RFC says; null and scalars are refused, since no object could result.
 */
export function applyMergePatch(document: unknown, patch: unknown, dialect: MergeDialect = {}): unknown {
  if (Array.isArray(patch)) return withoutNulls(patch, dialect);
  if (!isObject(patch)) throw badRequest("a merge patch must be a JSON object");
  return merge(isObject(document) ? document : {}, patch, dialect);
}

interface MergeDialect {
  /** Whether nulls that are items of a new list stay in it. Default: false. */
  readonly keepsNullItems?: boolean;
}

export const mergeDialect = ({ has }: Pick<Environment, "has">): MergeDialect => ({
  keepsNullItems: has("nullItems"),
});

function merge(document: JsonObject, patch: JsonObject, dialect: MergeDialect): JsonObject {
  const result = { ...document };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const current = getOwn(result, key);
    if (!isObject(current)) setOwn(result, key, withoutNulls(value, dialect));
    else if (isObject(value)) setOwn(result, key, merge(current, value, dialect));
    // Observed in v1.21: a value that replaces an object keeps its nulls, a new value or one that replaces a list loses them.
    else setOwn(result, key, value);
  }
  return result;
}

/** Nulls in a part that is copied as a whole have nothing to delete; they are removed, at first in lists as well. */
function withoutNulls(value: unknown, dialect: MergeDialect): unknown {
  if (Array.isArray(value)) {
    const items = dialect.keepsNullItems ? value : value.filter((item) => item !== null);
    return items.map((item) => withoutNulls(item, dialect));
  }
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(result, key, withoutNulls(value[key], dialect));
  return result;
}
