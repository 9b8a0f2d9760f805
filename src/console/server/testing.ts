/** What a server for tests has: fault plans, and copies of itself. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf, collectionPath } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { isJson, type Json, parts, text } from "./json.ts";

const [forksPath, clockPath] = ["/forks", "/clock"] as const;

export interface TestingPaths {
  /** Whether it records requests. */
  readonly hasJournal: boolean;
  /** Whether it makes copies of itself. */
  readonly hasForks: boolean;
  /** Whether its clock stands still until it is moved. */
  readonly hasClock: boolean;
}

/** The server lists its paths, so that none is asked for that is not there. Who may not read the list is shown neither. */
export async function readTestingPaths({ send }: Connection): Promise<TestingPaths> {
  const answer = await send.open("/", { accept: "application/json", accepts: () => true });
  const found: unknown = answer.ok ? await answer.json().catch(() => undefined) : void (await answer.text());
  const listed = isJson(found) && Array.isArray(found["paths"]) ? found["paths"] : [];
  return {
    hasJournal: listed.includes("/journal"),
    hasForks: listed.includes(forksPath),
    hasClock: listed.includes(clockPath),
  };
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
interface PlannedFault {
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

export interface VirtualTime {
  readonly now: string;
  readonly isMoving: boolean;
}

/** Undefined: not for this user. */
export async function readClock({ send }: Connection): Promise<VirtualTime | undefined> {
  const found = await send.json(clockPath).catch(() => undefined);
  return isJson(found) ? { now: text(found, "now"), isMoving: found["isMoving"] === true } : undefined;
}

/** `by`: "1h30m". It moves on while what comes due is done. */
export async function advanceClock({ write }: Connection, by: string): Promise<void> {
  await write.json(clockPath, { method: "POST", body: { advance: by } });
}
