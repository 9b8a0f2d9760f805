/** The paths of workspaces: /clusters/NAME and what follows. */

import { type FieldErrors, invalid, noErrors } from "../../machinery/status/field-error.ts";

export const workspacesPath = "/clusters/";

/** The name by which the server itself is known there. */
export const rootName = "root";
/** In the place of a name: all workspaces. */
const allWorkspaces = "*";

interface WorkspaceTarget {
  readonly name: string;
  /** The target within the workspace. */
  readonly target: string;
}

const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const pattern = new RegExp(`^/clusters/(${label})(/[^?]*)?(\\?.*)?$`);
/** Clients encode the star, or do not. */
const acrossPattern =
  /^\/clusters\/(?:\*|%2A)(?:(?::|%3A)([a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?))?(\/[^?]*)?(\?.*)?$/i;

/** Undefined: not the path of a workspace, whatever its name. */
export function parseTarget(target: string): WorkspaceTarget | undefined {
  const [, name, path = "/", query = ""] = pattern.exec(target) ?? [];
  return name === undefined ? undefined : { name, target: path + query };
}

/** Undefined: not the path of all workspaces. `type` undefined: of all types. */
export function parseAcrossTarget(
  target: string,
): { readonly type: string | undefined; readonly target: string } | undefined {
  const found = acrossPattern.exec(target);
  if (found === null) return undefined;
  const [, type, path = "/", query = ""] = found;
  return { type: type?.toLowerCase(), target: path + query };
}

/** What stands in the place of a name. */
export const acrossName = (type: string | undefined): string =>
  type === undefined ? allWorkspaces : `${allWorkspaces}:${type}`;

export function nameProblems(name: string): FieldErrors {
  if (!/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    return [
      invalid(
        "metadata.name",
        name,
        "must have at most 63 lower-case letters, digits and dashes, and begin and end without a dash",
      ),
    ];
  if (name === rootName || name.startsWith("system"))
    return [
      invalid("metadata.name", name, 'is reserved: "root" and names that begin with "system" are the server\'s own'),
    ];
  return noErrors;
}
