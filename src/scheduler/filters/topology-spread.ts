/** Spread constraints that must hold: the pods they select may not be more frequent in one place than elsewhere. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { toleratesAll } from "../../controllers/parts/nodes/taints.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Cluster, KnownNode, KnownPod } from "../cluster.ts";
import type { PodSelection } from "../selectable-pods.ts";
import { type Counting, countingAll, PodTally } from "../tally.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match pod topology spread constraints", true);
const unlabelled = rejected("node(s) didn't match pod topology spread constraints (missing required label)");

export const topologySpread: NodeFilter = (pod, cluster) => {
  const hard = spreadsOf(pod, "DoNotSchedule");
  if (hard.length === 0) return undefined;
  const counted = new SpreadCounts(hard, pod, cluster);
  const own = hard.map((spread) => (spread.selects(pod) ? 1 : 0));
  return countingAll([counted], (node: KnownNode) => {
    for (const [at, { spread, counts, least }] of counted.all().entries()) {
      const place = node.labels[spread.topologyKey];
      if (place === undefined) return unlabelled;
      if ((counts.get(place) ?? 0) + (own[at] ?? 0) - least > spread.maxSkew) return refusal;
    }
    return undefined;
  });
};

interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** How many comparisons one pod takes. */
  readonly cost: number;
  /** Fewer places than this count as one that is empty. */
  readonly minDomains: number;
  selects(pod: KnownPod): boolean;
  /** Which pods those may be. */
  readonly selection: PodSelection;
  readonly honors: { readonly affinity: boolean; readonly taints: boolean };
  /** Whether the node's pods count: by default only nodes do that the pod may have by its selector, whatever their taints are. */
  counts(node: KnownNode): boolean;
}

const effects = ["NoSchedule", "NoExecute"];

export function spreadsOf(of: KnownPod, when: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  const { spec } = of.pod;
  const given = spec?.topologySpreadConstraints ?? [];
  return given
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => {
      const selector = labelSelectorFromObject(constraint.labelSelector);
      const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore", matchLabelKeys = [] } = constraint;
      const honors = { affinity: nodeAffinityPolicy !== "Ignore", taints: nodeTaintsPolicy !== "Ignore" };
      // Where the server has put these keys into the selector already, they say the same twice.
      const same = matchLabelKeys.filter((key) => of.labels.has(key));
      return {
        topologyKey: constraint.topologyKey,
        maxSkew: constraint.maxSkew,
        minDomains: constraint.minDomains ?? 1,
        selection: { selector, namespaces: new Set([of.namespace]), namespaceSelector: undefined },
        cost: 1 + selector.requirements.length + same.length,
        selects: (pod: KnownPod) =>
          pod.namespace === of.namespace &&
          pod.pod.metadata.deletionTimestamp == null &&
          selector.matches(pod.labels) &&
          same.every((key) => pod.labels.get(key) === of.labels.get(key)),
        honors,
        counts: ({ node }: KnownNode) =>
          (!honors.affinity || spec === undefined || fitsNode(spec, node)) &&
          (!honors.taints || toleratesAll(spec?.tolerations ?? [], node.spec?.taints ?? [], effects)),
      };
    });
}

interface CountedSpread {
  readonly spread: Spread;
  /** By the value of the topology label. */
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

/** Which nodes count, and where these are: the same for all pods that ask the same of nodes. */
class CountingNodes {
  /** By the layout of the node, which spreads count its pods. */
  readonly of = new Map<object, readonly boolean[]>();
  readonly places: readonly Set<string>[];
  isComplete = false;

  constructor(spreads: readonly Spread[]) {
    this.places = spreads.map(() => new Set());
  }
}

/** All that `counts` of a spread reads of the pod. */
function questionOf(spreads: readonly Spread[], { pod: { spec } }: KnownPod): string {
  return JSON.stringify([
    spreads.map(({ topologyKey, honors }) => [topologyKey, honors]),
    spreads.some(({ honors }) => honors.affinity) && [
      spec?.nodeSelector,
      spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    ],
    spreads.some(({ honors }) => honors.taints) && spec?.tolerations,
  ]);
}

/** How often pods that spreads select are at each place. Only nodes count that have all the labels. */
export class SpreadCounts implements Counting<void> {
  readonly #spreads: readonly Spread[];
  readonly #cluster: Cluster;
  readonly #counts: readonly Map<string, number>[];
  readonly #nodes: CountingNodes;
  readonly #tally: PodTally<readonly [spread: number, place: string]>;
  /** Undefined: a pod has come or gone since. */
  #all: readonly CountedSpread[] | undefined;

  constructor(spreads: readonly Spread[], pod: KnownPod, cluster: Cluster) {
    this.#spreads = spreads;
    this.#cluster = cluster;
    this.#nodes = cluster.facts(`spread ${questionOf(spreads, pod)}`, () => new CountingNodes(spreads));
    this.#counts = spreads.map(() => new Map());
    this.#tally = new PodTally({
      cluster,
      pods: () => cluster.placed(spreads.map(({ selection }) => selection)),
      compare: (known, node) => {
        const counting = this.#countingOf(node);
        return spreads.flatMap((spread, at) =>
          counting[at] && spread.selects(known) ? [[at, node.labels[spread.topologyKey] ?? ""] as const] : [],
        );
      },
      add: ([at, place], by) => this.#add(at, place, by),
      cost: spreads.reduce((sum, { cost }) => sum + cost, 0),
    });
  }

  *count(): Generator<number> {
    if (!this.#nodes.isComplete) {
      for (const node of this.#cluster.nodes) {
        if (this.#nodes.of.has(node.layout)) continue;
        this.#countingOf(node).forEach((counts, at) => {
          if (counts) this.#nodes.places[at]?.add(node.labels[this.#spreads[at]?.topologyKey ?? ""] ?? "");
        });
        yield this.#spreads.length;
      }
      this.#nodes.isComplete = true;
    }
    for (const [at, places] of this.#nodes.places.entries()) for (const place of places) this.#add(at, place, 0);
    yield* this.#tally.count();
  }

  get isCounted(): boolean {
    return this.#tally.isCounted;
  }

  decide(): void {
    this.#tally.decide();
  }

  stop(): void {
    this.#tally.stop();
  }

  all(): readonly CountedSpread[] {
    this.#all ??= this.#spreads.map((spread, at) => {
      const counts = this.#counts[at] ?? new Map<string, number>();
      let least = Number.POSITIVE_INFINITY;
      for (const count of counts.values()) least = Math.min(least, count);
      return { spread, counts, least: counts.size < spread.minDomains || counts.size === 0 ? 0 : least };
    });
    return this.#all;
  }

  #countingOf(node: KnownNode): readonly boolean[] {
    const known = this.#nodes.of.get(node.layout);
    if (known !== undefined && !checksCaches) return known;
    const hasAll = this.#spreads.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
    const counting = this.#spreads.map((spread) => hasAll && spread.counts(node));
    if (known !== undefined) checkAnswer("nodes that count", known, counting);
    this.#nodes.of.set(node.layout, counting);
    return counting;
  }

  #add(at: number, place: string, by: 1 | 0 | -1): void {
    const counts = this.#counts[at];
    counts?.set(place, (counts.get(place) ?? 0) + by);
    this.#all = undefined;
  }
}
