/** Spread constraints that must hold: the pods they select may not be more frequent in one place than elsewhere. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { toleratesAll } from "../../controllers/parts/nodes/taints.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Cluster, KnownNode } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import type { LabelledGroup } from "../pod-groups.ts";
import type { PodSelection } from "../selectable-pods.ts";
import { type Counting, countingAll, PodTally } from "../tally.ts";
import { noPlace, PlaceNumbers, type Topology } from "../topology.ts";
import { type CheckNode, type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match pod topology spread constraints", true);
const unlabelled = rejected("node(s) didn't match pod topology spread constraints (missing required label)");

export const topologySpread: NodeFilter = (pod, cluster) => {
  const hard = spreadsOf(pod, "DoNotSchedule");
  if (hard.length === 0) return undefined;
  const counted = new SpreadCounts(hard, pod, cluster);
  const self = { ...pod, isLeaving: false };
  const own = hard.map((spread) => (spread.selects(self) ? 1 : 0));
  const check: CheckNode = (node) => {
    const all = counted.all();
    for (let at = 0; at < all.length; at++) {
      const { spread, counts, least } = all[at]!; // within the list
      const place = counts.topology.placeOf(node);
      if (place === noPlace) return unlabelled;
      if (counts.get(place) + (own[at] ?? 0) - least > spread.maxSkew) return refusal;
    }
    return undefined;
  };
  return countingAll([counted], () => check);
};

interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** How many comparisons one group takes. */
  readonly cost: number;
  /** Fewer places than this count as one that is empty. */
  readonly minDomains: number;
  selects(pods: Pick<LabelledGroup, "namespace" | "labels" | "isLeaving">): boolean;
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
        selects: ({ namespace, isLeaving, labels }) =>
          namespace === of.namespace &&
          !isLeaving &&
          selector.matches(labels) &&
          same.every((key) => labels.get(key) === of.labels.get(key)),
        honors,
        counts: ({ node }: KnownNode) =>
          (!honors.affinity || spec === undefined || fitsNode(spec, node)) &&
          (!honors.taints || toleratesAll(spec?.tolerations ?? [], node.spec?.taints ?? [], effects)),
      };
    });
}

interface CountedSpread {
  readonly spread: Spread;
  readonly counts: PlaceNumbers;
  readonly least: number;
}

/** Which nodes count, and where these are: the same for all pods that ask the same of nodes. */
class CountingNodes {
  /** By the layout of the node, which spreads count its pods. */
  readonly of: Map<object, readonly boolean[]>;
  readonly places: readonly Set<string>[];
  isComplete = false;
  /** The numbers of the places in the topologies that the last decision used. */
  readonly #numbers: { topology: Topology; numbers: Int32Array }[] = [];

  /** `before`: the same question, before nodes changed. */
  constructor(spreads: readonly Spread[], before: CountingNodes | undefined) {
    this.of = before?.of ?? new Map();
    this.places = spreads.map(() => new Set());
  }

  numbersOf(at: number, topology: Topology): Int32Array {
    const known = this.#numbers[at];
    const places = this.places[at] ?? new Set<string>();
    if (known?.topology === topology && known.numbers.length === places.size) return known.numbers;
    const numbers = Int32Array.from(places, (place) => topology.numberOf(place));
    this.#numbers[at] = { topology, numbers };
    return numbers;
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
  readonly #question: string;
  readonly #counts: readonly PlaceNumbers[];
  #nodes: CountingNodes;
  /** Of the nodes that were counted. */
  #layoutVersion: number | undefined;
  readonly #tally: PodTally<LabelledGroup, ReadonlySet<number>>;
  /** Undefined: a pod has come or gone since. */
  #all: readonly CountedSpread[] | undefined;

  constructor(spreads: readonly Spread[], pod: KnownPod, cluster: Cluster) {
    this.#spreads = spreads;
    this.#cluster = cluster;
    this.#question = `spread ${questionOf(spreads, pod)}`;
    this.#nodes = cluster.facts(this.#question, () => new CountingNodes(spreads, undefined));
    this.#counts = spreads.map(({ topologyKey }) => new PlaceNumbers(cluster.topology(topologyKey)));
    this.#tally = new PodTally({
      cluster,
      groups: () => cluster.selectable(spreads.map(({ selection }) => selection)),
      groupOf: ({ labelled }) => labelled,
      compare: (group) => {
        const selecting = new Set<number>();
        for (const [at, spread] of spreads.entries()) if (spread.selects(group)) selecting.add(at);
        return selecting;
      },
      add: (selecting, node, by) => {
        const counting = this.#countingOf(node);
        for (const at of selecting) {
          const counts = this.#counts[at];
          if (counting[at] && counts !== undefined) counts.add(counts.topology.placeOf(node), by);
        }
        this.#all = undefined;
      },
      cost: spreads.reduce((sum, { cost }) => sum + cost, 0),
    });
  }

  *count(): Generator<number> {
    yield* this.#countNodes();
    yield* this.#tally.count();
  }

  *#countNodes(): Generator<number> {
    const [cluster, before] = [this.#cluster, this.#nodes];
    if (this.#layoutVersion === cluster.layoutVersion) return;
    this.#layoutVersion = cluster.layoutVersion;
    const nodes = cluster.facts(this.#question, () => new CountingNodes(this.#spreads, before));
    this.#nodes = nodes;
    this.#all = undefined;
    if (nodes.isComplete) return;
    for (const node of cluster.nodes) {
      const isKnown = nodes.of.has(node.layout);
      const counting = this.#countingOf(node);
      for (const [at, { topologyKey }] of this.#spreads.entries())
        if (counting[at]) nodes.places[at]?.add(node.labels[topologyKey] ?? "");
      yield isKnown ? 0 : this.#spreads.length;
      // Another round begins: these are not the nodes any more.
      if (this.#layoutVersion !== cluster.layoutVersion) return;
    }
    nodes.isComplete = true;
  }

  get isCounted(): boolean {
    return this.#tally.isCounted && this.#layoutVersion === this.#cluster.layoutVersion;
  }

  decide(): void {
    // Everything is counted already.
  }

  stop(): void {
    this.#tally.stop();
  }

  all(): readonly CountedSpread[] {
    this.#all ??= this.#spreads.map((spread, at) => {
      const counts = this.#counts[at]!; // there is one for each
      const places = this.#nodes.numbersOf(at, counts.topology);
      let least = Number.POSITIVE_INFINITY;
      for (let each = 0; each < places.length; each++) least = Math.min(least, counts.get(places[each]!)); // within
      return { spread, counts, least: places.length < spread.minDomains || places.length === 0 ? 0 : least };
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
}
