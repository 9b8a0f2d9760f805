/** Checks every few seconds whether nodes still report. */

import { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node.ts";
import { createSteadyTime } from "../../base/clock.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ControllerContext } from "../contract.ts";
import type { Plan } from "../plan.ts";
import { healthAfter, type NodeHealth } from "./health.ts";
import { planHealth, planRemoval } from "./reconcile.ts";

/** What the last round saw of a node. */
interface Known {
  readonly health: NodeHealth;
  readonly uid: string;
  readonly node: Node;
  readonly lease: Lease | undefined;
}

/** `isReady`: whether all caches are filled. Before that, missing leases mean nothing. */
export function monitorHealth(context: ControllerContext, nodes: Informer<Node>, isReady: () => boolean): void {
  const { informers, vocabulary, settings, clock, agents } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const leases = informers.of(Lease, { namespace });
  const healths = new Map<string, Known>();
  // A node that reports is never silent, however far the wall clock is set forward.
  const steadyMs = createSteadyTime(clock);
  const periods = {
    monitorGraceMs: settings.nodeMonitorGracePeriodMs,
    startupGraceMs: settings.nodeStartupGracePeriodMs,
  };

  function checkNode(node: Node): Plan | undefined {
    const { name = "", uid = "" } = node.metadata;
    const nowMs = steadyMs();
    const known = healths.get(name);
    const lease = leases.get(`${namespace}/${name}`);
    // Most nodes have said nothing since the last round, and need not have.
    const isUnchanged = known?.node === node && known.lease === lease;
    if (isUnchanged && nowMs <= known.health.heardMs + periods.monitorGraceMs) return undefined;
    const heard = healthAfter(known?.health, node, lease, nowMs);
    const health = agents.isWaiting(name) ? { ...heard, heardMs: nowMs } : heard;
    healths.set(name, { health, uid, node, lease });
    return planHealth(node, { known: known?.health, health, periods, nowMs, now: timeText(clock.now()) });
  }

  function forgetRemoved(): Plan[] {
    const removed = [...healths].filter(([name]) => nodes.get(name) === undefined);
    for (const [name] of removed) healths.delete(name);
    return removed.map(([name, { uid }]) => planRemoval(name, uid));
  }

  const round = () => {
    if (!isReady() || !leases.hasSynced()) return;
    return [...forgetRemoved(), ...nodes.list().flatMap((node) => checkNode(node) ?? [])];
  };
  context.every(settings.nodeMonitorPeriodMs, round, "node-controller");
}
