/** The changes that a server with a history keeps, and states of objects before and after them. */

import type { DiscoveredResource, Ref, ResourceAddress } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import { hasReason } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Connection } from "./connection.ts";
import { isJson, type Json, parts, text } from "./json.ts";

interface HistoryAsked {
  readonly connection: Connection;
  /** That of changes. */
  readonly changes: DiscoveredResource;
  readonly signal: AbortSignal;
}

/** Undefined: the server keeps no history. */
export const changesOf = ({ resources }: Discovery): DiscoveredResource | undefined =>
  resources.find(({ group, resource }) => group === "history.orch.io" && resource === "changes");

interface ChangesQuery {
  /** "": of all. */
  readonly namespace: string;
  /** "object.name=web". */
  readonly requirements: readonly string[];
  readonly limit: number;
  /** Where the answer before ended; "": from the newest. */
  readonly token: string;
}

interface FoundChanges {
  /** The newest first. */
  readonly changes: readonly Json[];
  /** "": these are all. */
  readonly token: string;
}

export async function readChanges(
  { connection, changes, signal }: HistoryAsked,
  { namespace, requirements, limit, token }: ChangesQuery,
): Promise<FoundChanges> {
  const query = { fieldSelector: requirements.join(","), limit, continue: token };
  const list = await connection.send.json(withQuery(collectionPath(changes, namespace), query), { signal });
  return { changes: parts(list, "items"), token: text(list, "metadata", "continue") };
}

/** The requirements that one object meets. */
export const aboutObject = ({ group, resource }: ResourceAddress, name: string): readonly string[] => [
  `object.group=${group}`,
  `object.resource=${resource}`,
  `object.name=${name}`,
];

/** The object as a revision left it; undefined: it was not there. */
export async function readRevision(
  { send }: Connection,
  resource: ResourceAddress,
  ref: Ref,
  revision: string,
): Promise<Json | undefined> {
  const query = { resourceVersion: revision, resourceVersionMatch: "Exact" };
  try {
    const found = await send.json(withQuery(objectPath(resource, ref), query));
    return isJson(found) ? found : undefined;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** When the history begins, as the server says when it is asked for what was before. Undefined: it does not say. */
export async function readOldest({ connection, signal }: Omit<HistoryAsked, "changes">): Promise<number | undefined> {
  const path = withQuery("/api/v1/namespaces", { limit: 1, atTime: "1970-01-01T00:00:00Z" });
  try {
    await connection.send.json(path, { signal });
    return undefined;
  } catch (error) {
    const { causes = [] } = (error instanceof StatusError && error.details) || {};
    return Date.parse(causes.find(({ reason }) => reason === "OldestState")?.message ?? "") || undefined;
  }
}
