/** The refusal of an apply that would take fields from other managers. */

import type { BoundKind } from "../schema/catalog.ts";
import type { StatusCause } from "../status/status.ts";
import { StatusError } from "../status/status.ts";
import { pathsOf } from "./field-set.ts";
import type { Manager } from "./managed.ts";
import { showPath } from "./token.ts";
import type { Loss } from "./updater.ts";

/** How many causes are shown; a list of ten thousand items may conflict in each. */
export const conflictCausesMax = 1_000;

/** 409 with one cause for each field and manager, and a sentence that says what to do. */
export function applyConflict(kind: BoundKind, name: string, manager: string, conflicts: readonly Loss[]): StatusError {
  const causes = conflicts.flatMap(causesOf);
  causes.sort((a, b) => (a.field === b.field ? 0 : a.field < b.field ? -1 : 1));
  const owners = [...new Set(conflicts.map((conflict) => show(conflict.manager)))].join(", ");
  const fields = [...new Set(causes.map((cause) => cause.field))];
  const shown = fields.slice(0, 5).join(", ") + (fields.length > 5 ? ` and ${fields.length - 5} more` : "");
  const resource = kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
  return new StatusError(
    "Conflict",
    `Apply of ${resource} "${name}" by "${manager}" conflicts with ${owners} over ${shown}; ` +
      "to take these fields send it again with force=true, to leave them alone remove them from the configuration, " +
      "to share them set them to the values they have now",
    { details: { causes: causes.slice(0, conflictCausesMax) } },
  );
}

function causesOf({ manager, fields }: Loss): (StatusCause & { readonly field: string })[] {
  return [...pathsOf(fields)].map((path) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${show(manager)}`,
    field: showPath(path),
  }));
}

/** Appliers by name; updaters also by the version and the time, since many share a name. */
function show(manager: Manager): string {
  const name = JSON.stringify(manager.name);
  if (manager.operation === "Apply") return name;
  return `${name} using ${manager.apiVersion}${manager.time === undefined ? "" : ` at ${manager.time}`}`;
}
