/** Carries out one pass over everything in a namespace: deletes the objects, and counts those that remain. */

import type { AnyObject, Client, DiscoveredResource, ResourceClient } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/send.ts";
import { messageOf } from "../plan.ts";
import { type Emptying, nameOf, passOf, planEmptying, type Visited } from "./plan-emptying.ts";
import type { Pass } from "./reconcile.ts";

/** Resources that are emptied at once. */
const resourcesAtOnce = 8;

/** `podsAlone`: nothing else is deleted, or even counted, while a pod is there. */
export async function emptyNamespace(
  client: Client,
  namespace: string,
  { podsAlone }: { readonly podsAlone: boolean },
): Promise<Pass> {
  const { preferred, failed } = await client.discover();
  const discoveryFailures = failed.map(({ groupVersion }) => groupVersion);
  const policyGroup = client.vocabulary.group("networking.orch.io");
  const visits: Visited[] = [];
  let step: Emptying | undefined = planEmptying(preferred, { policyGroup, podsAlone });
  while (step !== undefined) {
    visits.push(...(await visitAll(client, namespace, step)));
    step = step.next?.(passOf(visits, discoveryFailures));
  }
  return passOf(visits, discoveryFailures);
}

async function visitAll(client: Client, namespace: string, { resources, deletes }: Emptying): Promise<Visited[]> {
  const waiting = [...resources];
  const visits: Visited[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      visits.push(await visit(client.metadata(next), namespace, next, deletes));
  };
  await Promise.all(Array.from({ length: resourcesAtOnce }, work));
  return visits;
}

async function visit(
  objects: ResourceClient<AnyObject>,
  namespace: string,
  resource: DiscoveredResource,
  deletes: boolean,
): Promise<Visited> {
  const visited = { name: nameOf(resource), found: false, remaining: [], failure: undefined };
  let found = false;
  try {
    if (deletes) {
      found = (await objects.list({ namespace, limit: 1 })).items.length > 0;
      if (!found) return visited;
      await deleteAll(objects, namespace, resource.verbs);
    }
    return { ...visited, found, remaining: (await objects.listAll({ namespace })).items };
  } catch (error) {
    // A resource that has stopped being served since discovery has no objects.
    const isGone = hasReason(error, "NotFound", "MethodNotAllowed");
    return { ...visited, found, failure: isGone ? undefined : messageOf(error) };
  }
}

async function deleteAll(
  resource: ResourceClient<AnyObject>,
  namespace: string,
  verbs: readonly string[],
): Promise<void> {
  const options = { propagationPolicy: "Background", reason: "its namespace is terminating" } as const;
  if (verbs.includes("deletecollection")) return await resource.deleteCollection({ namespace }, options);
  const { items } = await resource.listAll({ namespace });
  for (const { metadata } of items) {
    try {
      await resource.delete({ namespace, name: metadata.name ?? "" }, { ...options, uid: metadata.uid });
    } catch (error) {
      if (!hasReason(error, "NotFound", "Conflict")) throw error;
    }
  }
}
