/** The observed health of nodes, and the conditions of a node that stopped reporting. */

import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { NodeCondition } from "../../api/core/v1/node/spec.ts";
import type { Node } from "../../api/core/v1/node.ts";

export interface NodeHealth {
  /** The last report of the node: a change of one of these is a sign of life. */
  readonly heartbeat: string;
  readonly lease: string;
  /** When it last reported, by the clock of this process: that of the node may be wrong. */
  readonly heardMs: number;
  /** Whether it has ever reported readiness. */
  readonly hasReported: boolean;
}

export function healthAfter(
  known: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  nowMs: number,
): NodeHealth {
  const ready = readyOf(node);
  const heartbeat = ready === undefined ? "" : `${ready.lastHeartbeatTime ?? ""} ${ready.status} ${ready.reason ?? ""}`;
  const renewed = lease?.spec?.renewTime ?? "";
  const hasReported = ready !== undefined;
  if (known === undefined) {
    const createdMs = Date.parse(node.metadata.creationTimestamp ?? "");
    const heardMs = hasReported || Number.isNaN(createdMs) ? nowMs : Math.min(createdMs, nowMs);
    return { heartbeat, lease: renewed, heardMs, hasReported };
  }
  // Changes that this controller wrote are not a sign of life.
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

/** The conditions of a node that has not reported for too long; undefined: nothing changes. */
export function silentConditions(
  node: Node,
  health: NodeHealth,
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
