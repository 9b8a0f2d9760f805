/** What an object uses, and what uses it: services and pods, settings, accounts, claims and nodes. */

import type { ResourceAddress } from "../../client/contract.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import type { HealthState } from "../../operations/health.ts";
import { objectHealth } from "../../operations/object-health.ts";
import { isSelected, usesOf } from "../../operations/uses.ts";
import { type Asked, findNeutral } from "../server/cluster.ts";
import { isJson, type Json, part, parts, text } from "../server/json.ts";
import { idOf, mayOwnPods } from "./acts.ts";
import type { GraphItem } from "./graph.ts";
import { objectOf } from "./route.ts";

export interface Surroundings {
  readonly uses: readonly GraphItem[];
  readonly usedBy: readonly GraphItem[];
}

/** How many pods or services of a namespace are looked at. */
const lookedAtMax = 5_000;

export async function surroundingsOf(asked: Asked, resource: ResourceAddress, object: Json): Promise<Surroundings> {
  const namespace = text(object, "metadata", "namespace");
  const id = idOf(resource);
  const uses = await usedItems(asked, namespace, object);
  if (id === "services")
    return { uses: [...uses, ...(await podsOfService(asked, object))], usedBy: await ingressesOf(asked, object) };
  if (id === "pods") return { uses, usedBy: await servicesOfPod(asked, object) };
  if (["configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"].includes(id))
    return { uses, usedBy: await podsThatUse(asked, id, object) };
  if (mayOwnPods(resource)) return { uses, usedBy: await frontsOf(asked, resource, object) };
  return { uses, usedBy: [] };
}

/** Of so many objects that are named it is asked how they are. */
const askedUsesMax = 20;

/** What is named may not be there, or not be well: both are looked at. */
async function usedItems(asked: Asked, namespace: string, object: Json): Promise<GraphItem[]> {
  const items = usesOf(object).map(async ({ resource: plural, name, as, isOptional }, at) => {
    const found = findNeutral(asked.discovery, plural);
    if (found === undefined) return [];
    const ref = { name, namespace: found.namespaced ? namespace : "" };
    const item = itemOf(found, ref, as);
    return [at < askedUsesMax ? { ...item, ...(await lookAt(asked, found, ref, isOptional)) } : item];
  });
  return (await Promise.all(items)).flat();
}

async function lookAt(
  { connection, signal }: Asked,
  resource: ResourceAddress,
  ref: ObjectRef,
  isOptional: boolean,
): Promise<Pick<GraphItem, "state" | "isMissing">> {
  try {
    const object = await connection.send.json(objectPath(resource, ref), { signal });
    return { state: isJson(object) ? objectHealth(idOf(resource), object)?.state : undefined };
  } catch (error) {
    // Without the right to read it, its state stays unknown.
    if (!isNotFound(error)) return {};
    return { isMissing: true, state: isOptional ? undefined : "failing" };
  }
}

interface ObjectRef {
  readonly name: string;
  readonly namespace: string;
}

const refOf = (object: Json): ObjectRef => ({
  name: text(object, "metadata", "name"),
  namespace: text(object, "metadata", "namespace"),
});

function itemOf(resource: ResourceAddress, ref: ObjectRef, as: string): GraphItem {
  const href = objectOf(resource, ref);
  return { id: `${as} ${href}`, kind: resource.kind, name: ref.name, href, as, children: [] };
}

async function listOf(asked: Asked, id: string, namespace: string) {
  const resource = findNeutral(asked.discovery, id);
  if (resource === undefined) return { resource, items: [] };
  const path = withQuery(collectionPath(resource, namespace), { limit: lookedAtMax });
  const list = await asked.connection.send.json(path, { signal: asked.signal }).catch(() => undefined);
  return { resource, items: parts(list, "items") };
}

async function podsOfService(asked: Asked, service: Json): Promise<GraphItem[]> {
  const { resource, items } = await listOf(asked, "pods", text(service, "metadata", "namespace"));
  const selector = part(service, "spec", "selector");
  if (resource === undefined) return [];
  return items
    .filter((pod) => isSelected(selector, part(pod, "metadata", "labels")))
    .map((pod) => ({ ...itemOf(resource, refOf(pod), "selects"), state: objectHealth("pods", pod)?.state }));
}

const servicesOfPod = (asked: Asked, pod: Json): Promise<GraphItem[]> =>
  servicesThatSelect(asked, text(pod, "metadata", "namespace"), part(pod, "metadata", "labels"));

async function servicesThatSelect(asked: Asked, namespace: string, labels: Json): Promise<GraphItem[]> {
  const { resource, items } = await listOf(asked, "services", namespace);
  if (resource === undefined) return [];
  return items
    .filter((service) => isSelected(part(service, "spec", "selector"), labels))
    .map((service) => itemOf(resource, refOf(service), "selects its pods"));
}

/** What stands before a workload: the services that select its pods, and what scales it. */
async function frontsOf(asked: Asked, { kind }: ResourceAddress, object: Json): Promise<GraphItem[]> {
  const { name, namespace } = refOf(object);
  const [services, { resource, items }] = await Promise.all([
    servicesThatSelect(asked, namespace, part(object, "spec", "template", "metadata", "labels")),
    listOf(asked, "horizontalpodautoscalers.autoscaling", namespace),
  ]);
  if (resource === undefined) return services;
  const scales = (one: Json) =>
    text(one, "spec", "scaleTargetRef", "name") === name && text(one, "spec", "scaleTargetRef", "kind") === kind;
  return [...services, ...items.filter(scales).map((one) => itemOf(resource, refOf(one), "scales"))];
}

async function ingressesOf(asked: Asked, service: Json): Promise<GraphItem[]> {
  const { resource, items } = await listOf(
    asked,
    "ingresses.networking.orch.io",
    text(service, "metadata", "namespace"),
  );
  if (resource === undefined) return [];
  const name = text(service, "metadata", "name");
  const backends = (ingress: Json) => [
    part(ingress, "spec", "defaultBackend"),
    ...parts(ingress, "spec", "rules").flatMap((rule) =>
      parts(rule, "http", "paths").map((path) => part(path, "backend")),
    ),
  ];
  return items
    .filter((ingress) =>
      backends(ingress).some((one) => text(one, "service", "name") === name || text(one, "serviceName") === name),
    )
    .map((ingress) => itemOf(resource, refOf(ingress), "leads to"));
}

async function podsThatUse(asked: Asked, plural: string, object: Json): Promise<GraphItem[]> {
  const { name, namespace } = refOf(object);
  const { resource, items } = await listOf(asked, "pods", namespace);
  if (resource === undefined) return [];
  return items.flatMap((pod) => {
    const use = usesOf(pod).find((one) => one.resource === plural && one.name === name);
    if (use === undefined) return [];
    return [{ ...itemOf(resource, refOf(pod), use.as), state: objectHealth("pods", pod)?.state }];
  });
}

/** Of so many kinds the objects are read to tell how they are. */
const judgedKindsMax = 6;

/** How objects of a namespace are, by uid, of the kinds that are named. */
export async function statesOf(
  asked: Asked,
  namespace: string,
  resources: readonly ResourceAddress[],
): Promise<ReadonlyMap<string, HealthState>> {
  const states = new Map<string, HealthState>();
  for (const resource of resources.slice(0, judgedKindsMax)) {
    const path = withQuery(collectionPath(resource, namespace), { limit: lookedAtMax });
    const list = await asked.connection.send.json(path, { signal: asked.signal }).catch(() => undefined);
    for (const object of parts(list, "items")) {
      const health = objectHealth(idOf(resource), object);
      if (health !== undefined) states.set(text(object, "metadata", "uid"), health.state);
    }
  }
  return states;
}
