/** Chooses a node for a pod: filters leave the possible ones, scores find the best, chance decides among equals. */

import type { Cluster, KnownNode } from "./cluster.ts";
import { type CheckNode, firstRejection } from "./filters/filter.ts";
import type { KnownPod } from "./known-pod.ts";
import type { ScheduleOptions } from "./options.ts";
import { type Preemption, preempt, type RejectedNode } from "./preempt.ts";
import { scores } from "./scores/list.ts";
import { type RateNodes, type Score, scoreMax } from "./scores/score.ts";
import type { Counting } from "./tally.ts";

export type ScheduleDecision =
  | { readonly at: "found"; readonly node: string; readonly checked: number }
  /** No node fits. `preemption`: which pods could make room, and where. */
  | {
      readonly at: "none";
      readonly message: string;
      readonly preemption: Preemption | undefined;
      readonly checked: number;
    };

/** As v1.21: where there are more nodes than this, a part of those that fit is enough, at least so many. */
export const feasibleNodesMin = 100;
const [shareMax, shareMin, nodesPerPercent] = [50, 5, 125];

/** How many nodes that fit are looked for. */
export function feasibleNodesWanted(nodes: number): number {
  const percent = Math.max(shareMin, shareMax - Math.floor(nodes / nodesPerPercent));
  return nodes <= feasibleNodesMin ? nodes : Math.max(feasibleNodesMin, Math.floor((nodes * percent) / 100));
}

/**
 * First what the pod asks of others is counted, in steps, each of which yields how many comparisons it took; the cluster may change between
 * them. Then the decision is made at once: `decide` calls it, and may change the cluster for that long.
 */
export function* schedule(
  pod: KnownPod,
  cluster: Cluster,
  options: ScheduleOptions,
): Generator<number, ScheduleDecision> {
  const countings: Counting<unknown>[] = [];
  const prepare = <T extends CheckNode | RateNodes>(made: T | Counting<T | undefined>): (() => T | undefined) => {
    if (typeof made === "function") return () => made;
    countings.push(made);
    return () => made.decide();
  };
  try {
    const checks: (() => CheckNode | undefined)[] = [];
    for (const filter of options.filters) {
      const made = filter(pod, cluster, options.facts);
      if (made !== undefined) checks.push(prepare<CheckNode>(made));
    }
    const rates: { readonly score: Score; readonly prepared: () => RateNodes | undefined }[] = [];
    for (const score of scores) {
      const made = score.prepare(pod, cluster);
      if (made !== undefined) rates.push({ score, prepared: prepare<RateNodes>(made) });
    }
    // While one is counted, pods may come that another has to count again.
    do for (const counting of countings) yield* counting.count();
    while (countings.some(({ isCounted }) => !isCounted));
    const decide = () =>
      decideAtOnce(pod, cluster, options, {
        reject: firstRejection(checks.flatMap((check) => check() ?? [])),
        rates: rates.flatMap(({ score, prepared }) => {
          const rate = prepared();
          return rate === undefined ? [] : [{ score, rate }];
        }),
      });
    return options.decide?.(decide) ?? decide();
  } finally {
    for (const counting of countings) counting.stop();
  }
}

interface PreparedDecision {
  readonly reject: CheckNode;
  readonly rates: readonly { readonly score: Score; readonly rate: RateNodes }[];
}

function decideAtOnce(
  pod: KnownPod,
  cluster: Cluster,
  options: ScheduleOptions,
  { reject, rates }: PreparedDecision,
): ScheduleDecision {
  const feasible: KnownNode[] = [];
  const rejections: RejectedNode[] = [];
  const { nodes } = cluster;
  const wanted = feasibleNodesWanted(nodes.length);
  let checked = 0;
  let at = (options.startAt ?? 0) % Math.max(1, nodes.length);
  for (; checked < nodes.length && feasible.length < wanted; checked++) {
    const node = nodes[at]!; // within the list
    at = at + 1 === nodes.length ? 0 : at + 1;
    const rejection = reject(node);
    if (rejection === undefined) feasible.push(node);
    // They are told where no node fits.
    else if (feasible.length === 0) rejections.push({ node, rejection });
  }
  if (feasible.length > 0) return { at: "found", node: best(feasible, rates, options.random).name, checked };
  return {
    at: "none",
    checked,
    message: messageOf(cluster.size, rejections),
    preemption: preempt(pod, cluster, rejections, { ...options, reject }),
  };
}

/** "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." */
function messageOf(nodes: number, rejections: readonly RejectedNode[]): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const { rejection } of rejections)
    for (const reason of rejection.reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${texts.join(", ")}.`;
}

function best(
  nodes: readonly KnownNode[],
  rates: PreparedDecision["rates"],
  random: (below: number) => number,
): KnownNode {
  const totals = new Float64Array(nodes.length);
  const ratings = new Float64Array(nodes.length);
  for (const { score, rate } of rates) {
    rate(nodes, ratings);
    scale(score, ratings);
    for (let at = 0; at < totals.length; at++) totals[at]! += score.weight * Math.floor(ratings[at]!); // of the same length
  }
  const { most } = extremes(totals);
  const equals: KnownNode[] = [];
  for (let at = 0; at < totals.length; at++) if (totals[at] === most) equals.push(nodes[at]!); // of the same length
  return equals[random(equals.length)] ?? equals[0]!; // at least the best is equal to itself
}

/** Makes the values go from 0 to 100, where the score does not say them so. */
function scale({ scale: order }: Score, values: Float64Array): void {
  if (order === undefined) return;
  const { least, most } = extremes(values);
  if (least === most) return void values.fill(0);
  const from = order === "higher" ? least : most;
  for (let at = 0; at < values.length; at++) values[at] = (Math.abs(values[at]! - from) / (most - least)) * scoreMax; // within
}

function extremes(values: Float64Array): { readonly least: number; readonly most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!; // within
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}
