/** Clients of all workspaces at once: where they read, and how their controllers write to the workspace of an object. */

import type { Fetch } from "../client/contract.ts";

/** Requests to the workspace of this name; "root" is the server itself. */
export type InWorkspace = (name: string) => Fetch;

/** The member of a client of all workspaces that its user does not see. */
export const inWorkspaceOf: unique symbol = Symbol.for("orch.inWorkspace");

export interface AcrossWorkspaces {
  /** Absent: the client is of one server, or of one workspace. */
  readonly [inWorkspaceOf]?: object | undefined;
}

export const inWorkspaceIn = (client: AcrossWorkspaces) => client[inWorkspaceOf] as InWorkspace | undefined; // only connect sets it

const acrossPath = /\/clusters\/(?:\*|%2A)(?:(?::|%3A)[^/]+)?\/?$/i;

/** The URL of a server that ends in the path of all workspaces, or of those of one type. Undefined: it does not. */
export function splitAcross(server: string): { readonly root: string; readonly path: string } | undefined {
  const at = server.search(acrossPath);
  return at < 0 ? undefined : { root: server.slice(0, at), path: server.slice(at).replace(/\/$/, "") };
}
