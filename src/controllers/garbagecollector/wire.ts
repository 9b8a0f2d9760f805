/** garbagecollector: deletes objects whose owners are all gone, or orphans them, by the propagation policy. */

import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { ResourceAddress } from "../../client/contract.ts";
import { hasReason, ifThere } from "../../client/requests/send.ts";
import { foregroundFinalizer, orphanFinalizer } from "../../machinery/meta/metadata.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { type Controller, type ControllerContext, TryAgain } from "../contract.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { Graph, leavesOrphans, type Node, type Worth, waitsForDependents } from "./graph.ts";
import { startMonitors } from "./monitors.ts";
import { decide, type OwnerState } from "./reconcile.ts";
import { createWrites } from "./writes.ts";

/** Resources of aggregated servers, and of a server that is upgraded, change without an event. */
const refreshMs = 30_000;
const refreshLocalMs = 600_000;

export const garbageCollector: Controller = {
  name: "garbagecollector",
  account: "generic-garbage-collector",
  start(context) {
    const graph = new Graph();
    const absent = new AbsentOwners();
    const events = context.recorder("garbage-collector-controller");
    const writes = createWrites(context.client);

    const look = ({ collect, orphan, misplaced }: Worth) => {
      for (const uid of collect) collectQueue.add(uid);
      for (const uid of orphan) orphanQueue.add(uid);
      for (const { node, owner } of misplaced) {
        const { kind, namespace, name, uid, apiVersion } = node;
        const whose = `${owner.apiVersion}/${owner.kind} "${owner.name}" with uid ${owner.uid}`;
        const where =
          namespace === "" ? "is in a namespace, and this object is in none" : `is not in namespace "${namespace}"`;
        events.event(
          { kind, namespace, name, uid, apiVersion },
          "Warning",
          "OwnerRefInvalidNamespace",
          `the owner ${whose} ${where}`,
        );
      }
    };
    const monitors = startMonitors({
      context,
      put(object, address) {
        absent.forget(object.metadata.uid ?? "");
        look(graph.put(object, address));
      },
      remove(uid) {
        const node = graph.get(uid);
        if (node?.address !== undefined) absent.add(node, node.namespace);
        look(graph.remove(uid));
      },
      forget: (uid) => void graph.remove(uid),
    });

    const stateOf = async (node: Node, reference: OwnerReference): Promise<OwnerState> => {
      const owner = graph.get(reference.uid);
      if (owner !== undefined && isOwnerOf(owner, reference, node))
        return waitsForDependents(owner) ? "waiting" : "solid";
      // Checked first: the kind of a deleted owner may be gone too.
      if (absent.has(reference, node.namespace) || absent.has(reference, "")) return "absent";
      const address = monitors.addressOf(reference.apiVersion, reference.kind);
      if (address === undefined) throw unknownKind(reference);
      if (address.namespaced && node.namespace === "") return "solid"; // such a reference means nothing
      return await askFor(context, address, node, reference, absent);
    };

    const collectQueue = context.queue({
      name: "garbage_collector_attempt_to_delete",
      workers: context.settings.concurrentGcSyncs,
      after: [monitors],
      async sync(uid) {
        const node = graph.get(uid);
        if (node === undefined) return;
        if (node.address === undefined) return await lookForUnseen(node);
        const references = waitsForDependents(node) || node.isDeleted ? [] : node.owners;
        const owners = [];
        for (const reference of references) owners.push({ reference, state: await stateOf(node, reference) });
        const decision = decide(node, owners);
        switch (decision.do) {
          case "nothing":
            return;
          case "await":
            for (const dependent of decision.dependents) collectQueue.add(dependent);
            return;
          case "release":
            return await writes.removeFinalizer(node, node.address, foregroundFinalizer);
          case "forget":
            context.log.debug("references to absent owners are removed", { kind: node.kind, name: node.name });
            return await writes.removeOwners(node, node.address, decision.uids);
          case "delete":
            context.log.debug("an object without owners is deleted", { kind: node.kind, name: node.name });
            if (decision.unblock) await writes.unblockOwners(node, node.address);
            return await writes.delete(node, node.address, decision.policy);
        }
      },
    });

    /** References name an object that no watch has shown: check whether it exists. */
    const lookForUnseen = async (node: Node) => {
      const address = monitors.addressOf(node.apiVersion, node.kind);
      if (address === undefined) throw unknownKind(node);
      const namespace = address.namespaced ? node.namespace : "";
      if (address.namespaced && namespace === "") return;
      const found = await ifThere(context.client.metadata(address).get({ namespace, name: node.name }));
      if (found?.metadata.uid === node.uid) return; // a watch will show it
      absent.add(node, namespace);
      for (const { uid } of graph.get(node.uid)?.dependents ?? []) collectQueue.add(uid);
    };

    const orphanQueue = context.queue({
      name: "garbage_collector_attempt_to_orphan",
      workers: context.settings.concurrentGcSyncs,
      after: [monitors],
      async sync(uid) {
        const node = graph.get(uid);
        if (node?.address === undefined || !leavesOrphans(node)) return;
        for (const dependent of [...node.dependents]) {
          if (dependent.address !== undefined) await writes.removeOwners(dependent, dependent.address, [uid]);
        }
        await writes.removeFinalizer(node, node.address, orphanFinalizer);
      },
    });

    const refresh = context.queue({
      name: "garbage_collector_resources",
      workers: 1,
      after: [monitors],
      async sync(key) {
        if (!(await monitors.refresh())) refresh.addAfter(key, refreshMs);
      },
    });
    const changed = () => {
      refresh.add("resources");
      // Discovery may be behind the definition that has just changed.
      refresh.addAfter("resources", refreshMs);
    };
    const apiServices = context.informers.of(APIService);
    const remote = apiServices.index("remote", ({ spec }) => (spec?.service ? ["remote"] : []));
    context.informers.of(CustomResourceDefinition).on({ add: changed, update: changed, delete: changed });
    apiServices.on({ add: changed, update: changed, delete: changed });
    context.every(refreshMs, () => {
      if (remote.values().length > 0) refresh.add("resources");
    });
    context.every(refreshLocalMs, () => refresh.add("resources"));
    return monitors;
  },
};

/** The kind may come back. */
const unknownKind = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
  new TryAgain(`the server does not know the owner's kind ${apiVersion} ${kind}`);

function isOwnerOf(owner: Node, { kind, name }: OwnerReference, { namespace }: Node): boolean {
  if (owner.address === undefined || owner.kind !== kind || owner.name !== name) return false;
  return owner.namespace === "" || owner.namespace === namespace;
}

async function askFor(
  { client }: ControllerContext,
  address: ResourceAddress,
  node: Node,
  reference: OwnerReference,
  absent: AbsentOwners,
): Promise<OwnerState> {
  const namespace = address.namespaced ? node.namespace : "";
  try {
    const { metadata } = await client.metadata(address).get({ namespace, name: reference.name });
    if (metadata.uid === reference.uid) {
      const waits = metadata.deletionTimestamp && metadata.finalizers?.includes(foregroundFinalizer);
      return waits ? "waiting" : "solid";
    }
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
  }
  absent.add(reference, namespace);
  return "absent";
}
