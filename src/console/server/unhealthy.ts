/** The objects of a few kinds that are unhealthy. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, withQuery } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { type Json, parts, text } from "./json.ts";

export interface UnhealthyObject {
  readonly resource: DiscoveredResource;
  readonly name: string;
  readonly namespace: string;
  readonly why: string;
}

export interface KindCheck {
  readonly resource: string;
  readonly isUnhealthy: (object: Json) => string | undefined;
}

/** How many objects of a kind are looked at: an overview must not read a large cluster. */
export const checkedObjectsMax = 500;
/** How many are shown. */
export const unhealthyMax = 50;

/** Kinds that the user may not list are left out. */
export async function readUnhealthy(
  { connection, discovery }: { readonly connection: Connection; readonly discovery: Discovery },
  checks: readonly KindCheck[],
  signal: AbortSignal,
): Promise<UnhealthyObject[]> {
  const found: UnhealthyObject[] = [];
  for (const check of checks) {
    const resource = discovery.find(check.resource);
    if (resource === undefined || signal.aborted) continue;
    const path = withQuery(collectionPath(resource, undefined), { limit: checkedObjectsMax });
    const list = await connection.send.json(path, { signal }).catch(() => undefined);
    for (const item of parts(list, "items")) {
      const why = check.isUnhealthy(item);
      const [name, namespace] = [text(item, "metadata", "name"), text(item, "metadata", "namespace")];
      if (why !== undefined && found.length < unhealthyMax) found.push({ resource, name, namespace, why });
    }
  }
  return found;
}
