/** What is counted of pods is the same as counting all of them again, whatever came, went and changed before and meanwhile. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Node } from "../api/core/v1/node.ts";
import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { orch } from "../vocabulary/orch.ts";
import { Cluster, type KnownNode } from "./cluster.ts";
import type { CheckNode } from "./filters/filter.ts";
import { filtersOf } from "./filters/list.ts";
import { podAffinity } from "./filters/pod-affinity.ts";
import { topologySpread } from "./filters/topology-spread.ts";
import { knownPod } from "./known-pod.ts";
import { schedule } from "./schedule.ts";
import { preferredPods, preferredSpread } from "./scores/pods.ts";
import type { RateNodes } from "./scores/score.ts";
import type { Counting } from "./tally.ts";

type Labels = Record<string, string>;
interface Term {
  readonly topologyKey: string;
  readonly labelSelector: { readonly matchLabels: Labels };
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: { readonly matchLabels: Labels };
}
interface Spread extends Term {
  readonly maxSkew: number;
  readonly whenUnsatisfiable: string;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

const word = fc.constantFrom("a", "b");
const keys = fc.constantFrom("app", "rev");
const places = fc.constantFrom("zone", "host");
const namespaces = fc.constantFrom("one", "two");
const nodeNames = fc.constantFrom("n1", "n2", "n3");
const labels = fc.dictionary(keys, word);
const labelSelector = fc.record({ matchLabels: labels });
const terms = fc.array(
  fc.record(
    {
      topologyKey: places,
      labelSelector,
      namespaces: fc.array(namespaces, { minLength: 1, maxLength: 2 }),
      namespaceSelector: fc.record({ matchLabels: fc.dictionary(fc.constant("team"), word, { minKeys: 1 }) }),
    },
    { requiredKeys: ["topologyKey", "labelSelector"] },
  ),
  { maxLength: 2 },
);
const weighted = terms.map((some) => some.map((podAffinityTerm, at) => ({ weight: at + 1, podAffinityTerm })));
const spreads = fc.array(
  fc.record(
    {
      maxSkew: fc.constantFrom(1, 2),
      topologyKey: places,
      whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "ScheduleAnyway"),
      labelSelector,
      // These came with later levels.
      minDomains: fc.constantFrom(1, 3),
      nodeAffinityPolicy: fc.constantFrom("Honor", "Ignore"),
      nodeTaintsPolicy: fc.constantFrom("Honor", "Ignore"),
      matchLabelKeys: fc.constantFrom(["rev"], []),
    },
    { requiredKeys: ["maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector"] },
  ),
  { maxLength: 2 },
);
const podParts = fc.record({
  name: fc.constantFrom("p1", "p2", "p3", "p4"),
  namespace: namespaces,
  labels,
  isLeaving: fc.boolean(),
  on: nodeNames,
  apart: fc.oneof(fc.constant([]), terms),
});
const askedParts = fc.record({
  namespace: namespaces,
  labels,
  near: fc.oneof(fc.constant([]), terms),
  apart: terms,
  preferred: weighted,
  spreads,
  nodeSelector: fc.oneof(fc.constant({}), fc.record({ zone: word })),
});
const moves = fc.oneof(
  fc.record({ at: fc.constant("pod" as const), pod: podParts }),
  fc.record({ at: fc.constant("pod" as const), pod: podParts }),
  fc.record({ at: fc.constant("gone" as const), pod: podParts }),
  fc.record({ at: fc.constant("moment" as const), pod: podParts }),
  fc.record({ at: fc.constant("expected" as const), pod: podParts }),
  fc.record({
    at: fc.constant("node" as const),
    name: nodeNames,
    zone: fc.option(word, { nil: undefined }),
    isTainted: fc.boolean(),
  }),
  fc.record({ at: fc.constant("node gone" as const), name: nodeNames }),
);
/** Labels of namespaces change only before: a decision that has begun keeps what it has read of them. */
const step = fc.oneof(moves, fc.record({ at: fc.constant("namespace" as const), name: namespaces, team: word }));
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
interface PodParts {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly isLeaving: boolean;
  readonly on: string;
  readonly apart: readonly Term[];
}
interface Asked {
  readonly namespace: string;
  readonly labels: Labels;
  readonly near: readonly Term[];
  readonly apart: readonly Term[];
  readonly preferred: readonly { readonly weight: number; readonly podAffinityTerm: Term }[];
  readonly spreads: readonly Spread[];
  readonly nodeSelector: { readonly zone?: string };
}

function podOf({ name, namespace, labels: own, isLeaving, apart }: PodParts): Pod {
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: apart };
  return {
    metadata: { name, namespace, labels: own, ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { containers: [], affinity: { podAntiAffinity } } as unknown as PodSpec, // without what defaults fill in
  };
}

/** What is there, and the cluster that was told of it. */
class World {
  readonly cluster = new Cluster();
  readonly nodes = new Map<string, Node>();
  readonly pods = new Map<string, PodParts>();
  readonly teams = new Map<string, Labels>();

  take(one: Step): void {
    const { cluster } = this;
    if (one.at === "node") {
      const { zone, isTainted } = one;
      const node: Node = {
        metadata: { name: one.name, labels: { host: one.name, ...(zone === undefined ? {} : { zone }) } },
        spec: isTainted ? { taints: [{ key: "k", effect: "NoSchedule" }] } : {},
        status: { allocatable: { pods: "1000" } },
      };
      this.nodes.set(one.name, node);
      cluster.setNode(node);
    } else if (one.at === "node gone") {
      this.nodes.delete(one.name);
      cluster.removeNode(one.name);
    } else if (one.at === "namespace") {
      this.teams.set(one.name, { team: one.team });
      cluster.setNamespace(one.name, { team: one.team });
    } else this.#takePod(one.at, one.pod);
  }

  #takePod(at: "pod" | "gone" | "moment" | "expected", pod: PodParts): void {
    const { cluster } = this;
    const key = `${pod.namespace}/${pod.name}`;
    if (at === "pod") {
      this.pods.set(key, pod);
      cluster.setPod(knownPod(podOf(pod)), pod.on);
    } else if (at === "gone") {
      this.pods.delete(key);
      cluster.removePod(key);
    } else if (at === "moment") {
      cluster.lift(key);
      cluster.putBack(key);
    } else {
      const expected = knownPod(podOf({ ...pod, name: "expected" }));
      cluster.expect(expected, pod.on);
      cluster.withExpected(
        () => true,
        () => {},
      );
      cluster.expectNoLonger(expected.key);
    }
  }
}

const matches = (wanted: Labels, own: Labels) => Object.entries(wanted).every(([key, value]) => own[key] === value);

/** Everything counted again, as the field says it. */
function recount({ nodes, pods, teams }: World, asked: Asked) {
  const placed = [...pods.values()].flatMap((pod) => {
    const node = nodes.get(pod.on);
    return node === undefined ? [] : [{ pod, labels: node.metadata.labels ?? {} }];
  });
  const selects = (term: Term, owner: string, pod: { namespace: string; labels: Labels }) => {
    const { namespaces: some = [], namespaceSelector } = term;
    const isInside =
      (some.length === 0 && namespaceSelector === undefined && pod.namespace === owner) ||
      some.includes(pod.namespace) ||
      (namespaceSelector !== undefined && matches(namespaceSelector.matchLabels, teams.get(pod.namespace) ?? {}));
    return isInside && matches(term.labelSelector.matchLabels, pod.labels);
  };
  const numberAt = (term: Term, node: Labels) => {
    const place = node[term.topologyKey];
    if (place === undefined) return 0;
    return placed.filter(({ pod, labels: on }) => on[term.topologyKey] === place && selects(term, asked.namespace, pod))
      .length;
  };
  const isAnywhere = asked.near.some((term) =>
    placed.some(({ pod, labels: on }) => on[term.topologyKey] !== undefined && selects(term, asked.namespace, pod)),
  );
  const isFirst = !isAnywhere && asked.near.every((term) => selects(term, asked.namespace, asked));
  const affinityAt = (node: Labels) => {
    for (const term of asked.near)
      if (node[term.topologyKey] === undefined || !(isFirst || numberAt(term, node) > 0)) return "affinity rules";
    if (asked.apart.some((term) => numberAt(term, node) > 0)) return "match pod anti-affinity";
    const isKept = placed.some(({ pod, labels: on }) =>
      pod.apart.some(
        (term) =>
          node[term.topologyKey] !== undefined &&
          on[term.topologyKey] === node[term.topologyKey] &&
          selects(term, pod.namespace, asked),
      ),
    );
    return isKept ? "existing pods" : undefined;
  };
  const counting = (spread: Spread, all: readonly Spread[]) =>
    [...nodes.values()].filter(({ metadata, spec }) => {
      const own = metadata.labels ?? {};
      return (
        all.every(({ topologyKey }) => own[topologyKey] !== undefined) &&
        (spread.nodeAffinityPolicy === "Ignore" || matches({ ...asked.nodeSelector }, own)) &&
        (spread.nodeTaintsPolicy !== "Honor" || (spec?.taints ?? []).length === 0)
      );
    });
  const spreadNumbers = (spread: Spread, all: readonly Spread[]) => {
    const same = (spread.matchLabelKeys ?? []).filter((key) => asked.labels[key] !== undefined);
    const counted = new Map<string, number>();
    for (const node of counting(spread, all)) {
      const place = node.metadata.labels?.[spread.topologyKey] ?? "";
      const here = placed.filter(
        ({ pod }) =>
          pod.on === node.metadata.name &&
          pod.namespace === asked.namespace &&
          !pod.isLeaving &&
          matches(spread.labelSelector.matchLabels, pod.labels) &&
          same.every((key) => pod.labels[key] === asked.labels[key]),
      );
      counted.set(place, (counted.get(place) ?? 0) + here.length);
    }
    return counted;
  };
  const of = (when: string) => asked.spreads.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when);
  const spreadAt = (node: Labels) => {
    const hard = of("DoNotSchedule");
    for (const spread of hard) {
      const place = node[spread.topologyKey];
      if (place === undefined) return "missing";
      const counted = spreadNumbers(spread, hard);
      const isFew = counted.size === 0 || counted.size < (spread.minDomains ?? 1);
      const least = isFew ? 0 : Math.min(...counted.values());
      const own = matches(spread.labelSelector.matchLabels, asked.labels) ? 1 : 0;
      if ((counted.get(place) ?? 0) + own - least > spread.maxSkew) return "constraints";
    }
    return undefined;
  };
  return {
    affinityAt,
    spreadAt,
    preferredAt: (node: Labels) =>
      asked.preferred.reduce((sum, { weight, podAffinityTerm }) => sum + weight * numberAt(podAffinityTerm, node), 0),
    softAt: (node: Labels) =>
      of("ScheduleAnyway").reduce(
        (sum, spread) => sum + (spreadNumbers(spread, of("ScheduleAnyway")).get(node[spread.topologyKey] ?? "") ?? 0),
        0,
      ),
  };
}

function podAsking(asked: Asked) {
  const { near, apart, preferred } = asked;
  return knownPod({
    metadata: { name: "asked", namespace: asked.namespace, labels: asked.labels },
    spec: {
      containers: [],
      nodeSelector: asked.nodeSelector,
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: near,
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
        },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart },
      },
      topologySpreadConstraints: asked.spreads,
    } as unknown as PodSpec, // without what defaults fill in
  });
}

function prepared({ cluster }: World, asked: Asked) {
  const known = podAsking(asked);
  const looks: Look[] = [podAffinity, topologySpread].map((filter) => filter(known, cluster, { volumes: [] }) as Look);
  for (const score of [preferredPods, preferredSpread]) looks.push(score.prepare(known, cluster) as Look);
  return looks;
}

type Look = Counting<CheckNode | RateNodes | undefined> | undefined;
type Outcome = CheckNode | RateNodes | undefined;

const checked = (check: Outcome, node: KnownNode) => (check as CheckNode | undefined)?.(node);

/** What makes no difference rates each node the same. */
function rated(rate: Outcome, node: KnownNode): number {
  const ratings = new Float64Array(1);
  (rate as RateNodes | undefined)?.([node], ratings);
  return ratings[0] ?? 0;
}

test("what pods ask of others is answered as if all were counted again", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.array(moves, { maxLength: 12 }),
      askedParts,
      fc.nat(6),
      (before, meanwhile, asked, steps) => {
        const world = new World();
        for (const one of before) world.take(one);
        const looks = prepared(world, asked);
        const runs = looks.map((look) => look?.count()[Symbol.iterator]());
        for (const run of runs) for (let at = 0; at < steps; at++) run?.next();
        for (const one of meanwhile) world.take(one);
        for (const run of runs) while (run?.next().done === false);
        for (const look of looks) while (look?.isCounted === false) for (const _ of look.count());
        const [affinity, spread, preferred, soft] = looks.map((look) => look?.decide());
        const again = recount(world, asked);
        const reasonOf = (answer: unknown) => (answer as { reasons: readonly string[] } | undefined)?.reasons[0] ?? "";
        for (const node of world.cluster.nodes) {
          const expected = [again.affinityAt(node.labels), again.spreadAt(node.labels)];
          for (const [at, answer] of [checked(affinity, node), checked(spread, node)].entries()) {
            if (expected[at] === undefined) expect(answer).toBeUndefined();
            else expect(reasonOf(answer)).toContain(expected[at]);
          }
          expect(rated(preferred, node)).toBe(again.preferredAt(node.labels));
          expect(rated(soft, node)).toBe(again.softAt(node.labels));
        }
        for (const look of looks) look?.stop();
      },
    ),
    { numRuns: 300 },
  );
});

/** The nodes that are best by the counts, each scaled so that the best has 100. */
function bestByRecount(world: World, asked: Asked): readonly string[] {
  const again = recount(world, asked);
  const fitting = world.cluster.nodes.filter(
    ({ labels: own, taints }) =>
      taints.length === 0 &&
      matches({ ...asked.nodeSelector }, own) &&
      again.spreadAt(own) === undefined &&
      again.affinityAt(own) === undefined,
  );
  const scaled = (rate: (node: Labels) => number, isMoreBetter: boolean) => {
    const rates = fitting.map(({ labels: own }) => rate(own));
    const [least, most] = [Math.min(...rates), Math.max(...rates)];
    const from = isMoreBetter ? least : most;
    return rates.map((value) => (least === most ? 0 : Math.floor((Math.abs(value - from) / (most - least)) * 100)));
  };
  const [preferred, soft] = [scaled(again.preferredAt, true), scaled(again.softAt, false)];
  const totals = fitting.map((_node, at) => (preferred[at] ?? 0) + 2 * (soft[at] ?? 0));
  return fitting.filter((_node, at) => totals[at] === Math.max(...totals)).map(({ name }) => name);
}

test("a pod gets one of the nodes that are best when all is counted again", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.array(moves, { maxLength: 12 }),
      askedParts,
      fc.nat(6),
      fc.nat(3),
      (before, meanwhile, asked, steps, startAt) => {
        const world = new World();
        for (const one of before) world.take(one);
        let equals = 0;
        const run = schedule(podAsking(asked), world.cluster, {
          filters: filtersOf(orch, true),
          facts: { volumes: [] },
          startAt,
          random(below) {
            equals = below;
            return 0;
          },
          isProtected: () => false,
        });
        let next = run.next();
        for (let at = 0; at < steps && next.done !== true; at++) next = run.next();
        if (next.done !== true) for (const one of meanwhile) world.take(one);
        while (next.done !== true) next = run.next();
        const decision = next.value;
        const best = bestByRecount(world, asked);
        if (decision.at === "found") expect(best).toContain(decision.node);
        expect(decision.at === "found" ? equals : 0).toBe(best.length);
      },
    ),
    { numRuns: 300 },
  );
});
