/** What can be done to several objects at once, as merge patches. */

import type { Json } from "../server/json.ts";
import { actNamesOf, type NamedResource } from "./acts.ts";

const metadataActs = {
  "Set a label": "labels",
  "Remove a label": "labels",
  "Set an annotation": "annotations",
  "Remove an annotation": "annotations",
} as const;

/** Acts of the kind come first: they are what somebody selects rows for. */
export const bulkActs = (resource: NamedResource): readonly string[] => [
  ...actNamesOf(resource),
  ...Object.keys(metadataActs),
];

interface BulkPatch {
  readonly hasKey: boolean;
  readonly hasValue: boolean;
  /** Undefined: it depends on the object. */
  readonly patch: Json | undefined;
}

export function patchOf(act: string, key: string, value: string): BulkPatch {
  const field = Object.entries(metadataActs).find(([name]) => name === act)?.[1];
  if (field === undefined) return { hasKey: false, hasValue: false, patch: undefined };
  const hasValue = act.startsWith("Set");
  return { hasKey: true, hasValue, patch: { metadata: { [field]: { [key]: hasValue ? value : null } } } };
}
