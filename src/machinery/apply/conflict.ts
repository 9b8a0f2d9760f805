/** The refusal of an apply that would take fields from other managers. */

import type { StatusCause } from "../status/status.ts";
import { StatusError } from "../status/status.ts";
import { countPaths, pathsOf } from "./field-set.ts";
import type { Manager } from "./managed.ts";
import { showPath } from "./token.ts";
import type { Loss } from "./updater.ts";

/** How many causes are shown; a list of ten thousand items may conflict in each. */
export const conflictCausesMax = 1_000;

/** 409 with one cause for each field and manager. What to do about it is said by clients, which know how it was sent. */
export function applyConflict(conflicts: readonly Loss[]): StatusError {
  const count = conflicts.reduce((sum, { fields }) => sum + countPaths(fields), 0);
  const causes = conflicts.flatMap(causesOf);
  causes.sort((a, b) => (a.field === b.field ? 0 : a.field < b.field ? -1 : 1));
  return new StatusError("Conflict", `Apply failed with ${headline(count, conflicts)}`, {
    details: { causes: causes.slice(0, conflictCausesMax) },
  });
}

/** Programs match on the counts and on the lines of managers and fields. */
function headline(count: number, conflicts: readonly Loss[]): string {
  const [only] = conflicts;
  if (count === 1 && only !== undefined)
    return `1 conflict: conflict with ${named(only.manager)}: ${fieldsOf(only, 1)[0]}`;
  const lines = conflicts
    .toSorted((a, b) => (named(a.manager) < named(b.manager) ? -1 : 1))
    .flatMap((loss) => [
      `conflicts with ${named(loss.manager)}:`,
      ...fieldsOf(loss, linesMax).map((field) => `- ${field}`),
    ]);
  const more = count + conflicts.length - linesMax;
  return `${count} conflicts: ${lines.slice(0, linesMax).join("\n")}${more > 0 ? `\nand ${more} more` : ""}`;
}

/** The first of these fields: to show all of tens of thousands takes longer than to find them. */
function fieldsOf({ fields }: Loss, max: number): string[] {
  const shown: string[] = [];
  for (const path of pathsOf(fields)) {
    shown.push(showPath(path));
    if (shown.length === max) break;
  }
  return shown;
}

/** How many lines a message has for managers and fields. */
const linesMax = 20;

const named = ({ name, operation, apiVersion }: Manager): string =>
  JSON.stringify(name) + (operation === "Apply" ? "" : ` using ${apiVersion}`);

function causesOf(loss: Loss): (StatusCause & { readonly field: string })[] {
  const message = `conflict with ${show(loss.manager)}`;
  return fieldsOf(loss, conflictCausesMax).map((field) => ({ reason: "FieldManagerConflict", message, field }));
}

/** Appliers by name; updaters also by the version and the time, since many share a name. */
function show(manager: Manager): string {
  const name = JSON.stringify(manager.name);
  if (manager.operation === "Apply") return name;
  return `${name} using ${manager.apiVersion}${manager.time === undefined ? "" : ` at ${manager.time}`}`;
}
