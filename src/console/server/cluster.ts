/** What the overview asks a cluster: all objects of the few kinds that tell how it is. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { type Json, parts, text } from "./json.ts";

export interface Asked {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

interface KindObjects {
  readonly resource: DiscoveredResource;
  readonly objects: readonly Json[];
}

const chunk = 500;
/** More of a kind are not looked at; pods are followed as rows and may be more. */
const judgedObjectsMax = 10_000;
/** How many kinds of definitions are looked at. */
const customKindsMax = 30;
const readsAtOnce = 3;

const judged = [
  "nodes",
  "namespaces",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "persistentvolumeclaims",
  "resourcequotas",
  "apiservices.apiregistration.orch.io",
  "customresourcedefinitions.apiextensions.orch.io",
  "validatingwebhookconfigurations.admissionregistration.orch.io",
  "mutatingwebhookconfigurations.admissionregistration.orch.io",
];

/** By neutral id; kinds that the server does not have, or that the user may not list, are absent. */
export type ClusterObjects = ReadonlyMap<string, KindObjects>;

export async function readCluster(asked: Asked, custom: readonly DiscoveredResource[]): Promise<ClusterObjects> {
  const found = new Map<string, KindObjects>();
  const named = judged.map((id) => ({ id, resource: findNeutral(asked.discovery, id) }));
  const waiting = [
    ...named,
    ...custom.slice(0, customKindsMax).map((resource) => ({ id: `${resource.resource}.${resource.group}`, resource })),
  ].reverse();
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined && !asked.signal.aborted; next = waiting.pop()) {
      const { id, resource } = next;
      if (resource === undefined) continue;
      const objects = await readAll(asked, resource).catch(() => undefined);
      if (objects !== undefined) found.set(id, { resource, objects });
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, work));
  return found;
}

export function findNeutral({ preferred, vocabulary }: Discovery, id: string): DiscoveredResource | undefined {
  const [plural = "", ...rest] = id.split(".");
  const group = vocabulary.group(rest.join("."));
  return preferred.find((one) => one.resource === plural && one.group === group && one.verbs.includes("list"));
}

async function readAll({ connection, signal }: Asked, resource: DiscoveredResource): Promise<Json[]> {
  const objects: Json[] = [];
  for (let token = ""; ; ) {
    const path = withQuery(collectionPath(resource, undefined), { limit: chunk, continue: token });
    const list = await connection.send.json(path, { signal });
    objects.push(...parts(list, "items"));
    token = text(list, "metadata", "continue");
    if (token === "" || objects.length >= judgedObjectsMax) return objects;
  }
}

/** Undefined: it is gone, or may not be read. */
export async function readOne(
  { connection, signal }: Asked,
  resource: DiscoveredResource,
  ref: { readonly name: string; readonly namespace: string },
): Promise<Json | undefined> {
  const found = await connection.send.json(objectPath(resource, ref), { signal }).catch(() => undefined);
  return found as Json | undefined; // an object is JSON
}

/** The newest Events. Undefined: they may not be listed. */
export async function readRecentEvents({ connection, discovery, signal }: Asked): Promise<Json[] | undefined> {
  const events = discovery.resources.find(({ resource, group }) => resource === "events" && group === "");
  if (events === undefined) return undefined;
  const path = withQuery(collectionPath(events, undefined), { limit: 1_000 });
  const list = await connection.send.json(path, { signal }).catch(() => undefined);
  return list === undefined ? undefined : parts(list, "items");
}
