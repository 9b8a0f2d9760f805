/** The writes of the collector. Each has the version it was decided on as a precondition; if the object has changed, the watch delivers the change, and it is checked again. */

import type { Client, ResourceAddress } from "../../client/contract.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Node } from "./graph.ts";

export interface Writes {
  delete(node: Node, address: ResourceAddress, policy: "Background" | "Foreground" | "Orphan"): Promise<void>;
  removeOwners(node: Node, address: ResourceAddress, uids: readonly string[]): Promise<void>;
  /** Dependents that wait for this object do not block it any more. */
  unblockOwners(node: Node, address: ResourceAddress): Promise<void>;
  removeFinalizer(node: Node, address: ResourceAddress, finalizer: string): Promise<void>;
}

export function createWrites(client: Client): Writes {
  const patch = async (node: Node, address: ResourceAddress, metadata: Readonly<Record<string, unknown>>) => {
    const { uid, resourceVersion } = node;
    await ifThere(client.at(address).patch(node, { metadata: { uid, resourceVersion, ...metadata } }));
  };
  return {
    async delete(node, address, propagationPolicy) {
      const { uid, resourceVersion } = node;
      await ifThere(
        client
          .at(address)
          .delete(node, { uid, resourceVersion, propagationPolicy, reason: "its owners are gone or going" }),
      );
    },
    async removeOwners(node, address, uids) {
      const kept = node.owners.filter(({ uid }) => !uids.includes(uid));
      if (kept.length === node.owners.length) return;
      await patch(node, address, { ownerReferences: kept.length === 0 ? null : kept });
    },
    async unblockOwners(node, address) {
      const ownerReferences = node.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      const patched = { uid: node.uid, ownerReferences };
      await ifThere(client.at(address).patch(node, { metadata: patched }));
    },
    async removeFinalizer(node, address, finalizer) {
      const kept = node.finalizers.filter((each) => each !== finalizer);
      if (kept.length === node.finalizers.length) return;
      await patch(node, address, { finalizers: kept.length === 0 ? null : kept });
    },
  };
}
