/** Writes the ranges of a node into its spec. */

import { Node } from "../../api/core/v1/node.ts";
import { hasReason } from "../../client/requests/send.ts";
import { type Plan, type PlannedEvent, patch } from "../plan.ts";

/** `podCIDRs` undefined: none are free, and the node waits for those of others. */
export function planRanges(node: Node, podCIDRs: readonly string[] | undefined): Plan {
  const { name = "", uid, resourceVersion } = node.metadata;
  const event = (reason: string): PlannedEvent => ({
    type: "Normal",
    reason,
    message: `Node ${name} status is now: ${reason}`,
  });
  const about = { kind: "Node", name, uid, namespace: "" };
  if (podCIDRs === undefined) return { about, events: [event("CIDRNotAvailable")] };
  const changes = { metadata: { resourceVersion }, spec: { podCIDR: podCIDRs[0], podCIDRs } };
  const refused = (error: unknown) => (hasReason(error, "Conflict") ? undefined : event("CIDRAssignmentFailed"));
  return { about, writes: [{ ...patch(Node, { name }, changes), refused }] };
}
