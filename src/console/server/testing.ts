/** What a server for tests has: fault plans, and copies of itself. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf, collectionPath } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { type Json, parts } from "./json.ts";

const forksPath = "/forks";

/** Whether the server records requests and the user may read them. */
export const hasJournal = (connection: Connection): Promise<boolean> =>
  isServed(connection, `/journal?after=${"9".repeat(15)}`);

/** Whether the server makes copies of itself, for this user. */
export const hasForks = (connection: Connection): Promise<boolean> => isServed(connection, forksPath);

async function isServed({ send }: Connection, path: string): Promise<boolean> {
  const answer = await send.open(path, { accepts: () => true });
  await answer.text();
  return answer.ok;
}

/** Undefined: the server does not make copies, or not for this user. */
export async function readForks({ send }: Connection): Promise<Json[] | undefined> {
  const answer = await send.open(forksPath, { accepts: () => true });
  const body = await answer.text();
  if (!answer.ok) return undefined;
  try {
    return parts(JSON.parse(body), "forks");
  } catch {
    return undefined;
  }
}

/** A copy of the present state. */
export const createFork = ({ write }: Connection): Promise<unknown> =>
  write.json(forksPath, { method: "POST", body: {} });

export async function deleteFork({ write }: Connection, name: string): Promise<void> {
  await write.open(`${forksPath}/${encodeURIComponent(name)}`, { method: "DELETE" });
}

/** Which requests a fault hits, and what happens to them. */
export interface PlannedFault {
  readonly match: Json;
  readonly do: Json;
}

export async function createFaultPlan(
  { write }: Connection,
  resource: DiscoveredResource,
  spec: PlannedFault,
): Promise<void> {
  const body = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { generateName: "console-" },
    spec,
  };
  await write.json(collectionPath(resource, undefined), { body });
}
