/** Patches from what an object was to what it should be. */

import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { createPatch } from "../../machinery/patch/create-patch.ts";

/**
 * The merge patch that makes `after` of `before`; {} where they are equal. It contains only what differs, so that fields which others
 * change meanwhile stay as they are. Lists that differ are replaced as a whole.
 * @example
 * await sites.patch(site, mergePatch(before, site));
 */
export function mergePatch<T extends object>(before: T, after: T): Record<string, unknown> {
  return createPatch(sent(before), sent(after), undefined);
}

/** The object as a request carries it: members that are undefined are absent. */
function sent(object: object): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(object));
  return isObject(copy) ? copy : {};
}
