/** nodeipam: with --allocate-node-cidrs every node gets a range of addresses for its pods. */

import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { Allocations, cidrsOf } from "./allocations.ts";
import { nodeRanges } from "./node-ranges.ts";
import { planRanges } from "./reconcile.ts";

export const nodeIpam: Controller = {
  name: "nodeipam",
  account: "node-controller",
  start({ informers, settings, queue: createQueue }) {
    if (!settings.allocateNodeCidrs) return undefined;
    const allocations = new Allocations(nodeRanges(settings));
    const nodes = informers.of(Node);
    const queue = createQueue({
      workers: 1,
      component: "cidrAllocator",
      after: [nodes],
      sync(name) {
        const node = nodes.get(name);
        if (node === undefined || cidrsOf(node).length > 0) return;
        return planRanges(node, allocations.allocate(name));
      },
    });
    const enqueue = (names: readonly string[]) => {
      for (const name of names) queue.add(name);
    };
    const observe = (node: Node) => enqueue(cidrsOf(node).length === 0 ? [keyOf(node)] : allocations.observe(node));
    nodes.on({ add: observe, update: observe, delete: (node) => enqueue(allocations.release(node)) });
    return queue;
  },
};
