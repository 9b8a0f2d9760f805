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

/** `isReady`: whether all caches are filled. Before that, missing leases mean nothing. */
export function monitorHealth(context: ControllerContext, nodes: Informer<Node>, isReady: () => boolean): void {
  const { informers, vocabulary, settings, clock } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const leases = informers.of(Lease, { namespace });
  const healths = new Map<string, NodeHealth & { readonly uid: string }>();
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
    const health = healthAfter(known, node, leases.get(`${namespace}/${name}`), nowMs);
    healths.set(name, { ...health, uid });
    return planHealth(node, { known, health, periods, nowMs, now: timeText(clock.now()) });
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
