/** nodeipam: with --allocate-node-cidrs every node gets a range of addresses for its pods. */

import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import type { Settings } from "../settings.ts";
import { Ranges } from "./ranges.ts";

export const nodeIpam: Controller = {
  name: "nodeipam",
  account: "node-controller",
  start({ client, informers, settings, recorder, queue: createQueue }) {
    if (!settings.allocateNodeCidrs || settings.clusterCidr.length === 0) return undefined;
    const ranges = rangesOf(settings);
    const nodes = informers.of(Node);
    const events = recorder("cidrAllocator");
    const queue = createQueue({
      workers: 1,
      after: [nodes],
      async sync(name) {
        const node = nodes.get(name);
        if (node === undefined || node.spec?.podCIDR) return;
        const taken = ranges.map((each) => each.take());
        const podCIDRs = taken.filter((cidr) => cidr !== undefined);
        const giveBack = () => {
          for (const cidr of podCIDRs) for (const each of ranges) each.giveBack(cidr);
        };
        if (podCIDRs.length < ranges.length) {
          giveBack();
          const involved = { kind: "Node", name, uid: node.metadata.uid, namespace: "" };
          events.event(involved, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
          throw new Error("there is no range left for the node");
        }
        try {
          const spec = { podCIDR: podCIDRs[0], podCIDRs };
          const { resourceVersion } = node.metadata;
          const written = await ifThere(client.of(Node).patch({ name }, { metadata: { resourceVersion }, spec }));
          if (written === undefined) giveBack();
        } catch (error) {
          giveBack();
          throw error;
        }
      },
    });
    const occupy = ({ spec }: Node) => {
      for (const cidr of cidrsOf(spec)) for (const each of ranges) each.occupy(cidr);
    };
    nodes.on({
      add(node) {
        occupy(node);
        queue.add(keyOf(node));
      },
      update(node) {
        occupy(node);
        if (!node.spec?.podCIDR) queue.add(keyOf(node));
      },
      delete({ spec }) {
        for (const cidr of cidrsOf(spec)) for (const each of ranges) each.giveBack(cidr);
      },
    });
    return queue;
  },
};

const cidrsOf = (spec: Node["spec"]): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);

/** One for each range of the cluster; addresses of services are in none of them. */
function rangesOf(settings: Settings): readonly Ranges[] {
  const isDual = settings.clusterCidr.length > 1;
  const ranges = settings.clusterCidr.map((cidr) => {
    const bits = cidr.includes(":") ? settings.nodeCidrMaskSizeIpv6 : settings.nodeCidrMaskSizeIpv4;
    const isDefault = settings.nodeCidrMaskSize === 24;
    return new Ranges({ cidr, partBits: isDual || isDefault ? bits : settings.nodeCidrMaskSize });
  });
  for (const cidr of settings.serviceClusterIpRange) for (const each of ranges) each.occupy(cidr);
  return ranges;
}
