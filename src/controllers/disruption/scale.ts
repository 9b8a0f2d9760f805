/** The desired number of pods of the controllers of some pods together. */

import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import type { AnyObject, Client } from "../../client/contract.ts";
import type { Informer, Informers } from "../../client/informer/contract.ts";
import { groupOf } from "../../client/requests/address.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { createScaleClient, type ScaleClient } from "../parts/scale/scale-client.ts";

/** Why it is not known; `event`: the reason of a separate event about it. */
export class NoScale extends Error {
  readonly event: string | undefined;
  constructor(event: string | undefined, message: string) {
    super(message);
    this.event = event;
  }
}

interface Scaled extends AnyObject {
  spec?: { replicas?: number };
}

interface Found {
  readonly uid: string;
  readonly replicas: number;
}

interface Scales {
  readonly synced: readonly { readonly synced: Promise<void> }[];
  /** Throws NoScale when a pod has no controller, or one that cannot be scaled. */
  of(pods: readonly Pod[]): Promise<number>;
}

export function createScales(informers: Informers, client: Client): Scales {
  const scales = createScaleClient(client);
  const deployments = informers.of(Deployment);
  const replicaSets = informers.of(ReplicaSet);
  const others: readonly { readonly kind: string; readonly group: string; readonly informer: Informer<Scaled> }[] = [
    { kind: "StatefulSet", group: "apps", informer: informers.of(StatefulSet) as Informer<Scaled> },
    { kind: "ReplicationController", group: "", informer: informers.of(ReplicationController) as Informer<Scaled> },
  ];

  const lookUp = (informer: Informer<Scaled>, namespace: string, { name, uid }: OwnerReference): Found | undefined => {
    const object = informer.get(`${namespace}/${name}`);
    return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined;
  };

  /** A Deployment decides for its replica sets. */
  function ofReplicaSet(namespace: string, reference: OwnerReference): Found | undefined {
    const found = lookUp(replicaSets as Informer<Scaled>, namespace, reference);
    const set = replicaSets.get(`${namespace}/${reference.name}`);
    const above = set === undefined ? undefined : controllerOf(set);
    if (found === undefined || above?.kind !== "Deployment") return found;
    return lookUp(deployments as Informer<Scaled>, namespace, above);
  }

  async function find(namespace: string, reference: OwnerReference): Promise<Found | undefined> {
    return findKnown(namespace, reference) ?? (await askScale(scales, namespace, reference));
  }

  function findKnown(namespace: string, reference: OwnerReference): Found | undefined {
    const group = groupOf(reference.apiVersion);
    if (reference.kind === "ReplicaSet" && (group === "apps" || group === "extensions")) {
      return ofReplicaSet(namespace, reference);
    }
    const known = others.find((other) => other.kind === reference.kind && other.group === group);
    return known && lookUp(known.informer, namespace, reference);
  }

  return {
    synced: [deployments, replicaSets, ...others.map(({ informer }) => informer)],
    async of(pods) {
      const replicas = new Map<string, number>();
      for (const pod of pods) {
        const { name, namespace = "" } = pod.metadata;
        const reference = controllerOf(pod);
        if (reference === undefined) throw new NoScale("NoControllerRef", `found no controller ref for pod "${name}"`);
        if (replicas.has(reference.uid)) continue;
        const found = await find(namespace, reference);
        if (found === undefined) throw new NoScale("NoControllers", `found no controllers for pod "${name}"`);
        // Pods of several replica sets may have one Deployment above them.
        replicas.set(reference.uid, replicas.has(found.uid) ? 0 : found.replicas);
        if (found.uid !== reference.uid) replicas.set(found.uid, 0);
      }
      return [...replicas.values()].reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Any other kind, and any object that no cache has, reports it in its scale subresource. */
async function askScale(scales: ScaleClient, namespace: string, reference: OwnerReference): Promise<Found | undefined> {
  const { apiVersion, kind, name, uid } = reference;
  const address = await scales.addressOf(reference);
  if (address === undefined) throw new NoScale(undefined, `no matches for kind "${kind}" in version "${apiVersion}"`);
  try {
    const scale = await scales.get(address, { namespace, name });
    return scale.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    if (await scales.isScalable(address)) return undefined;
    throw new NoScale(undefined, `${apiVersion} ${kind} does not implement the scale subresource`);
  }
}
