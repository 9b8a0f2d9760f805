/** What is known of a node's health from one look to the next, and what to write when it has gone silent. */

import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node, NodeCondition } from "../../api/core/v1/node.ts";

export interface Health {
  /** What the node said last: when one of these changes, it has spoken. */
  readonly heartbeat: string;
  readonly lease: string;
  /** When it was last heard, by the clock of this process: that of the node may be wrong. */
  readonly heardMs: number;
  /** Whether it has ever said whether it is ready. */
  readonly hasReported: boolean;
}

export function healthAfter(known: Health | undefined, node: Node, lease: Lease | undefined, nowMs: number): Health {
  const ready = readyOf(node);
  const heartbeat = ready === undefined ? "" : `${ready.lastHeartbeatTime ?? ""} ${ready.status} ${ready.reason ?? ""}`;
  const renewed = lease?.spec?.renewTime ?? "";
  const hasReported = ready !== undefined;
  if (known === undefined) {
    const createdMs = Date.parse(node.metadata.creationTimestamp ?? "");
    const heardMs = hasReported || Number.isNaN(createdMs) ? nowMs : createdMs;
    return { heartbeat, lease: renewed, heardMs, hasReported };
  }
  // What this controller wrote itself is no sign of life.
  const hasSpoken = (heartbeat !== known.heartbeat && !isOwnWord(ready)) || (renewed !== known.lease && renewed !== "");
  return { heartbeat, lease: renewed, heardMs: hasSpoken ? nowMs : known.heardMs, hasReported };
}

export const readyOf = ({ status }: Node): NodeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

const isOwnWord = (ready: NodeCondition | undefined): boolean =>
  ready?.status === "Unknown" && (ready.reason === "NodeStatusUnknown" || ready.reason === "NodeStatusNeverUpdated");

export interface GracePeriods {
  readonly monitorGraceMs: number;
  readonly startupGraceMs: number;
}

/** The conditions of a node that has been silent for too long; undefined: it has not, or they say so already. */
export function silentConditions(
  node: Node,
  health: Health,
  { monitorGraceMs, startupGraceMs }: GracePeriods,
  { nowMs, now }: { readonly nowMs: number; readonly now: string },
): readonly NodeCondition[] | undefined {
  if (nowMs <= health.heardMs + (health.hasReported ? monitorGraceMs : startupGraceMs)) return undefined;
  const conditions = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]) {
    const at = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[at];
    if (old?.status === "Unknown") continue;
    changed = true;
    if (old === undefined) {
      conditions.push({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "The node agent never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
        lastTransitionTime: now,
      });
    } else {
      conditions[at] = {
        ...old,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "The node agent stopped posting node status.",
        lastTransitionTime: now,
      };
    }
  }
  return changed ? conditions : undefined;
}
