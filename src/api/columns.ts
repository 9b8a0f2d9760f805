/** Columns that many kinds share, and how cells print what is absent. */

import type { Environment } from "../machinery/schema/environment.ts";
import type { Column } from "../machinery/schema/kind.ts";
import { humanDuration } from "../machinery/table/human-duration.ts";

type AnyObject = { metadata: { name?: string; creationTimestamp?: string | null } };

export const nameColumn: Column<AnyObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object.",
  cell: (object) => object.metadata.name ?? "",
};

export const ageColumn: Column<AnyObject> = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  cell: (object, environment) => ageText(object.metadata.creationTimestamp, environment),
};

/** How long ago `time` was, as people read it; `<unknown>` when there is none. */
export function ageText(time: string | null | undefined, environment: Environment): string {
  if (time === null || time === undefined) return "<unknown>";
  return humanDuration(environment.clock.now() - Date.parse(time));
}

/** Joins what is there; `<none>` for nothing. */
export const joined = (parts: readonly string[] | undefined, separator = ","): string =>
  parts === undefined || parts.length === 0 ? "<none>" : parts.join(separator);

/** `a=b,c=d` in key order; `<none>` for an empty map. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const keys = Object.keys(labels ?? {}).sort();
  return joined(keys.map((key) => `${key}=${labels?.[key] ?? ""}`));
}
