/** One pass over everything in a namespace: deletes the objects, and counts those that remain. */

import type { AnyObject, Client, DiscoveredResource, ResourceClient } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/send.ts";
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
  const resources = preferred.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("list") && verbs.includes("delete"),
  );
  const counted = new Counted(failed.map(({ groupVersion }) => groupVersion));
  const policyGroup = client.vocabulary.group("networking.orch.io");
  const isPods = ({ group, resource }: DiscoveredResource) => group === "" && resource === "pods";
  const isPolicies = ({ group, resource }: DiscoveredResource) =>
    group === policyGroup && resource === "networkpolicies";
  const others = resources.filter((each) => !isPods(each) && !isPolicies(each));
  // Pods first: network policies must not be deleted while a pod still runs.
  await emptyAll(client, namespace, resources.filter(isPods), counted);
  if (podsAlone && (counted.remaining.size > 0 || counted.deletionFailures.length > 0)) return counted;
  await emptyAll(client, namespace, others, counted);
  const policies = resources.filter(isPolicies);
  if (counted.remaining.has("pods")) await countAll(client, namespace, policies, counted);
  else await emptyAll(client, namespace, policies, counted);
  return counted;
}

class Counted implements Pass {
  found = 0;
  readonly discoveryFailures: readonly string[];
  readonly deletionFailures: string[] = [];
  readonly remaining = new Map<string, number>();
  readonly finalizers = new Map<string, number>();

  constructor(discoveryFailures: readonly string[]) {
    this.discoveryFailures = discoveryFailures;
  }
  addRemaining(resource: string, items: readonly AnyObject[]): void {
    if (items.length === 0) return;
    this.remaining.set(resource, items.length);
    for (const { metadata } of items) {
      for (const name of metadata.finalizers ?? []) this.finalizers.set(name, (this.finalizers.get(name) ?? 0) + 1);
    }
  }
}

type Visit = (resource: ResourceClient<AnyObject>, name: string, verbs: readonly string[]) => Promise<void>;

async function emptyAll(
  client: Client,
  namespace: string,
  resources: readonly DiscoveredResource[],
  counted: Counted,
): Promise<void> {
  await visitAll(client, resources, counted, async (resource, name, verbs) => {
    const before = await resource.list({ namespace, limit: 1 });
    if (before.items.length === 0) return;
    counted.found++;
    await deleteAll(resource, namespace, verbs);
    const { items } = await resource.listAll({ namespace });
    counted.addRemaining(name, items);
  });
}

async function countAll(
  client: Client,
  namespace: string,
  resources: readonly DiscoveredResource[],
  counted: Counted,
): Promise<void> {
  await visitAll(client, resources, counted, async (resource, name) => {
    const { items } = await resource.listAll({ namespace });
    counted.addRemaining(name, items);
  });
}

async function visitAll(
  client: Client,
  resources: readonly DiscoveredResource[],
  counted: Counted,
  visit: Visit,
): Promise<void> {
  const waiting = [...resources];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const name = next.group === "" ? next.resource : `${next.resource}.${next.group}`;
      try {
        await visit(client.metadata(next), name, next.verbs);
      } catch (error) {
        // A resource that is no longer served has no objects.
        if (hasReason(error, "NotFound", "MethodNotAllowed")) continue;
        counted.deletionFailures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: resourcesAtOnce }, work));
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
