/** The refusal of an apply that would take fields from other managers. */

import type { StatusCause } from "../status/status.ts";
import { StatusError } from "../status/status.ts";
import { pathsOf } from "./field-set.ts";
import type { Manager } from "./managed.ts";
import { showPath } from "./token.ts";
import type { Loss } from "./updater.ts";

/** How many causes are shown; a list of ten thousand items may conflict in each. */
export const conflictCausesMax = 1_000;

/** What a manager loses: how many fields, and how the first of them are shown. */
interface Shown {
  readonly manager: Manager;
  readonly count: number;
  readonly fields: readonly string[];
}

/** 409 with one cause for each field and manager. What to do about it is said by clients, which know how it was sent. */
export function applyConflict(losses: readonly Loss[]): StatusError {
  const conflicts = losses.map(showLoss);
  const causes = conflicts.flatMap(causesOf);
  causes.sort((a, b) => (a.field === b.field ? 0 : a.field < b.field ? -1 : 1));
  return new StatusError("Conflict", `Apply failed with ${headline(conflicts)}`, {
    details: { causes: causes.slice(0, conflictCausesMax) },
  });
}

/** One walk: each takes a while if there are tens of thousands, and to show all of them takes longer than to find them. */
function showLoss({ manager, fields: lost }: Loss): Shown {
  const fields: string[] = [];
  let count = 0;
  for (const path of pathsOf(lost)) if (++count <= conflictCausesMax) fields.push(showPath(path));
  return { manager, count, fields };
}

/** Programs match on the counts and on the lines of managers and fields. */
function headline(conflicts: readonly Shown[]): string {
  const count = conflicts.reduce((sum, one) => sum + one.count, 0);
  const [only] = conflicts;
  if (count === 1 && only !== undefined) return `1 conflict: conflict with ${named(only.manager)}: ${only.fields[0]}`;
  const lines = conflicts
    .toSorted((a, b) => (named(a.manager) < named(b.manager) ? -1 : 1))
    .flatMap(({ manager, fields }) => [
      `conflicts with ${named(manager)}:`,
      ...fields.slice(0, linesMax).map((field) => `- ${field}`),
    ]);
  const more = count + conflicts.length - linesMax;
  return `${count} conflicts: ${lines.slice(0, linesMax).join("\n")}${more > 0 ? `\nand ${more} more` : ""}`;
}

/** How many lines a message has for managers and fields. */
const linesMax = 20;

const named = ({ name, operation, apiVersion }: Manager): string =>
  JSON.stringify(name) + (operation === "Apply" ? "" : ` using ${apiVersion}`);

function causesOf({ manager, fields }: Shown): (StatusCause & { readonly field: string })[] {
  const message = `conflict with ${show(manager)}`;
  return fields.map((field) => ({ reason: "FieldManagerConflict", message, field }));
}

/** Appliers by name; updaters also by the version and the time, since many share a name. */
function show(manager: Manager): string {
  const name = JSON.stringify(manager.name);
  if (manager.operation === "Apply") return name;
  return `${name} using ${manager.apiVersion}${manager.time === undefined ? "" : ` at ${manager.time}`}`;
}
