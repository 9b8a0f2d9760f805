/** The claims of a pod need devices that a node can use: those that they have, or others that are free. */

import type { KnownNode } from "../cluster.ts";
import { canUseAll } from "../devices/devices.ts";
import type { Counting } from "../tally.ts";
import { type CheckNode, type NodeFilter, type NodeRejection, rejected } from "./filter.ts";

const elsewhere = rejected("resourceclaim not available on the node");
const tooFew = rejected("cannot allocate all claims");

export const devices: NodeFilter = (_pod, cluster, { devices: asked }) => {
  if (asked === undefined) return undefined;
  const { needs, ask, grant } = asked;
  const { allocated, wanted } = needs;
  const place: CheckNode = ({ node }) => (canUseAll(allocated, node) ? undefined : elsewhere);
  if (wanted.length === 0) return place;
  const looked = new Map<KnownNode, NodeRejection | undefined>();
  const look = (known: KnownNode): number => {
    const misplaced = place(known);
    const { granted, tries } = misplaced === undefined ? grant(known.node) : { granted: [], tries: 1 };
    const reason = typeof granted === "string" ? rejected(granted) : granted === undefined ? tooFew : undefined;
    looked.set(known, misplaced ?? reason);
    return tries;
  };
  const counting: Counting<CheckNode> = {
    *count() {
      for (const known of cluster.nodes) {
        if (place(known) === undefined) yield* ask(known.node);
        yield Math.max(1, look(known));
      }
    },
    isCounted: true,
    stop() {},
    decide: () => (known) => {
      // A node that has come or changed since is looked at now.
      if (!looked.has(known)) look(known);
      return looked.get(known);
    },
  };
  return counting;
};
