/** Checks every few seconds whether nodes still report. */

import { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node.ts";
import { createSteadyTime } from "../../base/clock.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ControllerContext } from "../contract.ts";
import type { Plan } from "../plan.ts";
import { healthAfter, isSilent, type NodeHealth, type NodeSigns, signsOf } from "./health.ts";
import { planHealth, planRemoval } from "./reconcile.ts";

/** What the last round saw of a node. */
interface Known {
  readonly health: NodeHealth;
  readonly uid: string;
}

/** `isReady`: whether all caches are filled. Before that, missing leases mean nothing. */
export function monitorHealth(context: ControllerContext, nodes: Informer<Node>, isReady: () => boolean): void {
  const { informers, vocabulary, settings, clock, agents } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const leases = informers.of(Lease, { namespace });
  const healths = new Map<string, Known>();
  // Of each node and lease only this is kept: thousands of them would be decoded again in each round, or stay in memory.
  const present = new Map<string, NodeSigns>();
  const renewals = new Map<string, string>();
  /** Those that may have said something since the last round. */
  const changed = new Set<string>();
  const see = (node: Node) => {
    const { name = "" } = node.metadata;
    present.set(name, signsOf(node));
    changed.add(name);
  };
  nodes.on({ add: see, update: see, delete: ({ metadata }) => present.delete(metadata.name ?? "") });
  const renew = ({ metadata: { name = "" }, spec }: Lease) => {
    renewals.set(name, spec?.renewTime ?? "");
    changed.add(name);
  };
  leases.on({ add: renew, update: renew, delete: ({ metadata }) => renewals.delete(metadata.name ?? "") });
  // A node that reports is never silent, however far the wall clock is set forward.
  const steadyMs = createSteadyTime(clock);
  const periods = {
    monitorGraceMs: settings.nodeMonitorGracePeriodMs,
    startupGraceMs: settings.nodeStartupGracePeriodMs,
  };

  function checkNode(name: string, signs: NodeSigns): Plan | undefined {
    const nowMs = steadyMs();
    const known = healths.get(name);
    const hasChanged = changed.delete(name);
    // Most nodes have said nothing since the last round, and need not have.
    if (known !== undefined && !hasChanged && nowMs <= known.health.heardMs + periods.monitorGraceMs) return undefined;
    const heard = healthAfter(known?.health, signs, renewals.get(name) ?? "", nowMs);
    const health = agents.isWaiting(name) ? { ...heard, heardMs: nowMs } : heard;
    healths.set(name, { health, uid: signs.uid });
    if (known !== undefined && !isSilent(health, periods, nowMs)) return undefined;
    const node = nodes.get(name);
    return node && planHealth(node, { known: known?.health, health, periods, nowMs, now: timeText(clock.now()) });
  }

  function forgetRemoved(): Plan[] {
    const removed = [...healths].filter(([name]) => !present.has(name));
    for (const [name] of removed) healths.delete(name);
    return removed.map(([name, { uid }]) => planRemoval(name, uid));
  }

  const round = () => {
    if (!isReady() || !leases.hasSynced()) return;
    const plans = forgetRemoved();
    for (const [name, signs] of present) {
      const plan = checkNode(name, signs);
      if (plan !== undefined) plans.push(plan);
    }
    changed.clear();
    return plans;
  };
  context.every(settings.nodeMonitorPeriodMs, round, "node-controller");
}
