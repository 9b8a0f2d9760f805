/** The observed health of nodes, and the conditions of a node that stopped reporting. */

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

/** What a node says of itself, without the rest of it, which may be large. */
export interface NodeSigns {
  readonly uid: string;
  readonly heartbeat: string;
  /** Whether this controller wrote the heartbeat, for a node that is silent. */
  readonly isOwnWord: boolean;
  readonly hasReported: boolean;
  /** NaN: not known. */
  readonly createdMs: number;
}

export function signsOf(node: Node): NodeSigns {
  const { uid = "", creationTimestamp } = node.metadata;
  const ready = readyOf(node);
  return {
    uid,
    heartbeat: ready === undefined ? "" : `${ready.lastHeartbeatTime ?? ""} ${ready.status} ${ready.reason ?? ""}`,
    isOwnWord: isOwnWord(ready),
    hasReported: ready !== undefined,
    createdMs: Date.parse(creationTimestamp ?? ""),
  };
}

/** `renewed`: the time in its lease; "": it has none. */
export function healthAfter(
  known: NodeHealth | undefined,
  { heartbeat, isOwnWord, hasReported, createdMs }: NodeSigns,
  renewed: string,
  nowMs: number,
): NodeHealth {
  if (known === undefined) {
    const heardMs = hasReported || Number.isNaN(createdMs) ? nowMs : Math.min(createdMs, nowMs);
    return { heartbeat, lease: renewed, heardMs, hasReported };
  }
  // Changes that this controller wrote are not a sign of life.
  const hasSpoken = (heartbeat !== known.heartbeat && !isOwnWord) || (renewed !== known.lease && renewed !== "");
  return { heartbeat, lease: renewed, heardMs: hasSpoken ? nowMs : known.heardMs, hasReported };
}

/** Whether a node has not reported for too long. */
export const isSilent = (
  { heardMs, hasReported }: NodeHealth,
  { monitorGraceMs, startupGraceMs }: GracePeriods,
  nowMs: number,
): boolean => nowMs > heardMs + (hasReported ? monitorGraceMs : startupGraceMs);

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
  periods: GracePeriods,
  { nowMs, now }: { readonly nowMs: number; readonly now: string },
): readonly NodeCondition[] | undefined {
  if (!isSilent(health, periods, nowMs)) return undefined;
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
