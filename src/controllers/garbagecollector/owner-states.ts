/** Whether the owners of an object exist: the graph says it, or the server is asked. */

import type { Client, ResourceAddress } from "../../client/contract.ts";
import { TryAgain } from "../../client/reconcile/reconcile-queue.ts";
import { ifThere } from "../../client/requests/send.ts";
import { foregroundFinalizer } from "../../machinery/meta/metadata.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import { type Graph, type GraphNode, waitsForDependents } from "./graph.ts";
import type { OwnerState } from "./reconcile.ts";

interface OwnerStatesOptions {
  readonly client: Client;
  readonly graph: Graph;
  readonly absent: AbsentOwners;
  /** Where objects of a kind are; undefined: the server does not know the kind. */
  addressOf(apiVersion: string, kind: string): ResourceAddress | undefined;
}

export interface OwnerStates {
  stateOf(node: GraphNode, reference: OwnerReference): Promise<OwnerState>;
  /**
   * Asks about an object that no watch shows, and that only references name. False: these references mean nothing. One that is there is
   * asked about again until a watch shows it: if it is deleted before that, no watch will say so.
   */
  isAbsent(node: GraphNode): Promise<boolean>;
}

export function createOwnerStates({ client, graph, absent, addressOf }: OwnerStatesOptions): OwnerStates {
  const servedAt = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => {
    const address = addressOf(apiVersion, kind);
    // The kind may come back.
    if (address === undefined) throw new TryAgain(`the server does not know the owner's kind ${apiVersion} ${kind}`);
    return address;
  };
  /** The metadata of the object with this very uid. An answer that says anything else than "not found" proves nothing. */
  const find = async (address: ResourceAddress, namespace: string, { name, uid }: OwnerReference | GraphNode) => {
    const found = await ifThere(client.metadata(address).get({ namespace, name }));
    return found?.metadata.uid === uid ? found.metadata : undefined;
  };
  /** Checked before its kind: the kind of a deleted owner may be gone too. */
  const isKnownAbsent = (owner: OwnerReference | GraphNode, namespace: string) =>
    absent.has(owner, namespace) || absent.has(owner, "");
  return {
    async stateOf(node, reference) {
      const owner = graph.get(reference.uid);
      if (owner !== undefined && isOwnerOf(owner, reference, node))
        return waitsForDependents(owner) ? "waiting" : "solid";
      if (isKnownAbsent(reference, node.namespace)) return "absent";
      const address = servedAt(reference);
      if (address.namespaced && node.namespace === "") return "solid"; // such a reference means nothing
      const namespace = address.namespaced ? node.namespace : "";
      const found = await find(address, namespace, reference);
      if (found === undefined) {
        absent.add(reference, namespace);
        return "absent";
      }
      return found.deletionTimestamp && found.finalizers?.includes(foregroundFinalizer) ? "waiting" : "solid";
    },
    async isAbsent(node) {
      if (isKnownAbsent(node, node.namespace)) return true;
      const address = servedAt(node);
      const namespace = address.namespaced ? node.namespace : "";
      if (address.namespaced && namespace === "") return false;
      if ((await find(address, namespace, node)) !== undefined)
        throw new TryAgain(`no watch has shown the owner ${node.kind} ${node.name} yet`);
      absent.add(node, namespace);
      return true;
    },
  };
}

function isOwnerOf(owner: GraphNode, { kind, name }: OwnerReference, { namespace }: GraphNode): boolean {
  if (owner.address === undefined || owner.kind !== kind || owner.name !== name) return false;
  return owner.namespace === "" || owner.namespace === namespace;
}
