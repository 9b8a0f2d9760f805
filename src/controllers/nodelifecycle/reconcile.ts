/** Plans for nodes: taints that follow from their conditions, and conditions of nodes that stopped reporting. */

import { Node } from "../../api/core/v1/node.ts";
import type { Clock } from "../../base/clock.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type Plan, type PlannedEvent, patch, type Request, updateStatus } from "../plan.ts";
import { type GracePeriods, type NodeHealth, readyOf, silentConditions } from "./health.ts";
import { olderLabels } from "./labels.ts";
import { executeTaint, executeTaintsOf, scheduleTaintChange, type TaintChange, taintsAfter } from "./taints.ts";
import { type Zone, zoneNameOf } from "./zones.ts";

/** NoSchedule taints and older labels follow the node; a node that is ready again loses its NoExecute taints at once. */
export function planNode(node: Node, nowMs: number, vocabulary: Vocabulary): Plan {
  const { name = "" } = node.metadata;
  const labels = olderLabels(node, vocabulary);
  // The change of the labels starts the next pass.
  if (labels !== undefined) return { writes: [patch(Node, { name }, { metadata: { labels } })] };
  const change = scheduleTaintChange(node, vocabulary);
  if (change !== undefined) return { writes: [taintWrite(node, change, nowMs)] };
  const carried = executeTaintsOf(node, vocabulary);
  if (carried.length === 0 || readyOf(node)?.status !== "True") return {};
  return { writes: [taintWrite(node, { add: [], remove: carried }, nowMs)] };
}

function taintWrite(node: Node, change: TaintChange, nowMs: number): Request<Node> {
  const taints = taintsAfter(node.spec?.taints ?? [], change, timeText(nowMs));
  const { name = "", resourceVersion } = node.metadata;
  return patch(
    Node,
    { name },
    { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } },
  );
}

/** `known`: undefined for a node that was not seen before. */
export function planHealth(
  node: Node,
  {
    known,
    health,
    periods,
    nowMs,
    now,
  }: {
    readonly known: NodeHealth | undefined;
    readonly health: NodeHealth;
    readonly periods: GracePeriods;
    /** Of the same clock as the times in `health`. */
    readonly nowMs: number;
    /** What the conditions say. */
    readonly now: string;
  },
): Plan | undefined {
  const { name = "" } = node.metadata;
  const conditions = silentConditions(node, health, periods, { nowMs, now });
  if (known !== undefined && conditions === undefined) return undefined;
  const registered = nodeEvent("RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
  const wasReady = readyOf(node)?.status === "True";
  const notReady = nodeEvent("NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  const extras = { tolerates: ["NotFound"], events: wasReady ? [notReady] : [] } as const;
  const status = conditions && { ...node.status, conditions: [...conditions] };
  return {
    about: involved(node.metadata),
    events: known === undefined ? [registered] : [],
    next: () => status && { about: involved(node.metadata), writes: [updateStatus(Node, { ...node, status }, extras)] },
  };
}

/** A node that is gone. */
export const planRemoval = (name: string, uid: string): Plan => ({
  about: involved({ name, uid }),
  events: [nodeEvent("RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`)],
});

const nodeEvent = (reason: string, message: string): PlannedEvent => ({ type: "Normal", reason, message });

/** Events of nodes are in the default namespace. */
const involved = ({ name, uid }: { readonly name?: string; readonly uid?: string }) => ({
  kind: "Node",
  name,
  uid,
  namespace: "",
});

interface TaintPass {
  /** Nodes that are or were not ready. */
  readonly silent: readonly Node[];
  readonly zones: () => ReadonlyMap<string, Zone>;
  /** When a node of each zone was last tainted, on the monotonic clock; this pass is added. */
  readonly tainted: Map<string, number>;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly vocabulary: Vocabulary;
}

/** How often nodes that wait for their taint are processed. */
export const taintPassMs = 500;

/** NoExecute taints are added slowly: if most nodes seem unreachable, the network is the more likely cause. */
export function planTaints({ silent, zones: zonesNow, tainted, clock, vocabulary }: TaintPass): Plan | undefined {
  const [nowMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const waiting = silent.filter((node) => needsExecuteTaint(node, vocabulary));
  const carrying = silent.filter((node) => executeTaintsOf(node, vocabulary).length > 0);
  if (waiting.length === 0 && carrying.length === 0) return undefined;
  const zones = zonesNow();
  if ([...zones.values()].every(({ state }) => state === "FullDisruption")) {
    const release = (node: Node) => ({ add: [], remove: executeTaintsOf(node, vocabulary) });
    return { writes: carrying.map((node) => taintWrite(node, release(node), nowMs)) };
  }
  const writes: Request<Node>[] = [];
  for (const node of waiting) {
    const zone = zones.get(zoneNameOf(node, vocabulary));
    const add = executeTaint(node, vocabulary);
    if (zone === undefined || add === undefined) continue;
    const carried = executeTaintsOf(node, vocabulary);
    const isSwap = carried.length > 0;
    const lastMs = tainted.get(zone.name) ?? Number.NEGATIVE_INFINITY;
    if (!isSwap && (zone.rate <= 0 || monotonicMs - lastMs < 1_000 / zone.rate)) continue;
    if (!isSwap) tainted.set(zone.name, monotonicMs);
    writes.push(taintWrite(node, { add: [add], remove: carried.filter(({ key }) => key !== add.key) }, nowMs));
  }
  return { writes, ...(waiting.length > 0 ? { reviewInMs: taintPassMs } : {}) };
}

function needsExecuteTaint(node: Node, vocabulary: Vocabulary): boolean {
  const wanted = executeTaint(node, vocabulary);
  return wanted !== undefined && !executeTaintsOf(node, vocabulary).some(({ key }) => key === wanted.key);
}
