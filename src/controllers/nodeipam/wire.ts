/** nodeipam: with --allocate-node-cidrs every node gets a range of addresses for its pods. */

import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason, ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { nodeRanges } from "./node-ranges.ts";

export const nodeIpam: Controller = {
  name: "nodeipam",
  account: "node-controller",
  start({ client, informers, settings, recorder, queue: createQueue }) {
    if (!settings.allocateNodeCidrs) return undefined;
    const ranges = nodeRanges(settings);
    const nodes = informers.of(Node);
    const events = recorder("cidrAllocator");
    /** Allocated to a node, but not yet in its observed spec: a write that seemed to fail may have happened. */
    const pending = new Map<string, readonly string[]>();
    /** Nodes for which no range was free. */
    const waiting = new Set<string>();

    const giveBack = (cidrs: readonly string[]) => {
      if (cidrs.length === 0) return;
      for (const cidr of cidrs) for (const each of ranges) each.giveBack(cidr);
      for (const name of waiting) queue.add(name);
      waiting.clear();
    };
    /** Undefined: one of the cluster ranges is exhausted. */
    const take = (): readonly string[] | undefined => {
      const taken = ranges.map((each) => each.take());
      const cidrs = taken.filter((cidr) => cidr !== undefined);
      if (cidrs.length === ranges.length) return cidrs;
      for (const cidr of cidrs) for (const each of ranges) each.giveBack(cidr);
      return undefined;
    };
    const tell = ({ metadata: { name = "", uid } }: Node, reason: string) =>
      events.event(
        { kind: "Node", name, uid, namespace: "" },
        "Normal",
        reason,
        `Node ${name} status is now: ${reason}`,
      );

    const queue = createQueue({
      workers: 1,
      after: [nodes],
      async sync(name) {
        const node = nodes.get(name);
        if (node === undefined || cidrsOf(node).length > 0) return;
        const podCIDRs = pending.get(name) ?? take();
        if (podCIDRs === undefined) {
          waiting.add(name);
          return tell(node, "CIDRNotAvailable");
        }
        pending.set(name, podCIDRs);
        const spec = { podCIDR: podCIDRs[0], podCIDRs };
        const { resourceVersion } = node.metadata;
        try {
          await ifThere(client.of(Node).patch({ name }, { metadata: { resourceVersion }, spec }));
        } catch (error) {
          if (!hasReason(error, "Conflict")) tell(node, "CIDRAssignmentFailed");
          throw error;
        }
      },
    });
    const seen = (node: Node) => {
      const cidrs = cidrsOf(node);
      if (cidrs.length === 0) return queue.add(keyOf(node));
      const unused = (pending.get(keyOf(node)) ?? []).filter((cidr) => !cidrs.includes(cidr));
      pending.delete(keyOf(node));
      giveBack(unused);
      for (const cidr of cidrs) for (const each of ranges) each.occupy(cidr);
    };
    nodes.on({
      add: seen,
      update: seen,
      delete(node) {
        waiting.delete(keyOf(node));
        giveBack([...cidrsOf(node), ...(pending.get(keyOf(node)) ?? [])]);
        pending.delete(keyOf(node));
      },
    });
    return queue;
  },
};

const cidrsOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
