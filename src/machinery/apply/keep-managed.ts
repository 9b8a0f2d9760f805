/** Managed fields of an object that other code, such as a webhook, may have changed. */

import { sameJson } from "../json/json-value.ts";
import type { ApiObject } from "../schema/kind.ts";
import { parseManagers, writeManagers } from "./managed.ts";

/** `next` replaced `former`. Managed fields that cannot be read are restored, with a warning; absent ones are accepted. */
export function keepManagedFields(next: ApiObject, former: ApiObject, warn: (text: string) => void): void {
  const { managedFields: before } = former.metadata;
  const { managedFields: given } = next.metadata;
  if (given === before || given === undefined) return;
  let kept = before;
  if (!sameJson(given, before)) {
    const managers = parseManagers(given);
    if (managers !== undefined) kept = writeManagers(managers);
    else warn("metadata.managedFields was invalid after admission and has been reset; check the mutating webhooks");
  }
  if (kept === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = kept;
}
