import { describe, expect, test } from "vitest";
import type { DaemonSet, DaemonSetSpec } from "../../api/apps/v1/daemon-set.ts";
import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { orch } from "../../vocabulary/orch.ts";
import { type PodParts, podOf } from "../parts/pods/pod.suite.ts";
import { type DaemonInput, planDaemons, planUpdate } from "./daemons.ts";
import { createFailedPods } from "./failed-pods.ts";
import { daemonTolerations, newPod, nodeOf } from "./pod.ts";
import { daemonStatus } from "./status.ts";

const ready = "2021-05-01T00:00:00Z";
const setOf = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  metadata: { name: "ds", generation: 2, annotations: { "deprecated.daemonset.template.generation": "2" } },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { in: "yes" } },
    },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    ...spec,
  },
});
const nodeNamed = (name: string, labels = { in: "yes" }, taint?: string): Node => ({
  metadata: { name, labels },
  ...(taint ? { spec: { taints: [{ key: "k", effect: taint }] } } : {}),
});
/** The pod has the current template unless `old` is set. */
const podOn = (node: string, parts: PodParts & { old?: boolean } = {}): Pod =>
  podOf({ name: `p-${node}`, node, labels: { "controller-revision-hash": parts.old ? "old" : "new" }, ...parts });
const input = (nodes: readonly Node[], pods: readonly Pod[], set = setOf()): DaemonInput => ({
  set,
  nodes,
  pods,
  hash: "new",
  nowMs: Date.parse("2021-05-01T01:00:00Z"),
  vocabulary: orch,
  surges: false,
});
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe("pods on nodes", () => {
  const plan = (nodes: readonly Node[], pods: readonly Pod[] = []) => {
    const { create, delete: surplus, failed } = planDaemons(input(nodes, pods));
    return [create, names(surplus), failed.map(({ node }) => node)];
  };
  test("every suitable node gets one", () => {
    expect(plan([nodeNamed("a"), nodeNamed("b"), nodeNamed("c", { in: "no" })])).toEqual([["a", "b"], [], []]);
  });
  test("a node with a pod does not get a second one", () =>
    expect(plan([nodeNamed("a")], [podOn("a")])).toEqual([[], [], []]));
  test("a terminating pod delays the next", () => {
    expect(plan([nodeNamed("a")], [podOn("a", { deleting: true })])).toEqual([[], [], []]);
  });
  test("a taint keeps new pods away, and lets old ones stay unless its effect is NoExecute", () => {
    expect(plan([nodeNamed("a", undefined, "NoSchedule")])).toEqual([[], [], []]);
    expect(plan([nodeNamed("a", undefined, "NoSchedule")], [podOn("a")])).toEqual([[], [], []]);
    expect(plan([nodeNamed("a", undefined, "NoExecute")], [podOn("a")])).toEqual([[], ["p-a"], []]);
  });
  test("a node that is no longer suitable loses its pod", () => {
    expect(plan([nodeNamed("a", { in: "no" })], [podOn("a")])).toEqual([[], ["p-a"], []]);
  });
  test("of two pods the older stays", () => {
    const [first, second] = [
      podOn("a", { name: "x", created: "2021-01-01T00:00:00Z" }),
      podOn("a", { name: "w", created: ready }),
    ];
    expect(plan([nodeNamed("a")], [second, first])).toEqual([[], ["w"], []]);
  });
  test("a failed pod is replaced", () => {
    expect(plan([nodeNamed("a")], [podOn("a", { phase: "Failed" })])).toEqual([[], [], ["a"]]);
  });
  test("a pending pod for a deleted node is deleted", () => {
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "ds", uid: "u" };
    const made = newPod(setOf(), "gone", { owner, hash: "new", vocabulary: orch });
    const pod: Pod = { ...made, metadata: { ...made.metadata, name: "waits" } };
    expect(nodeOf(pod)).toBe("gone");
    expect(plan([], [pod, podOn("also-gone")])).toEqual([[], ["waits"], []]);
  });
});

describe("a rolling update", () => {
  const nodes = ["a", "b", "c"].map((name) => nodeNamed(name));
  const rows: { why: string; pods: Pod[]; deleted: string[]; max?: number | string }[] = [
    {
      why: "replaces one at a time",
      pods: [podOn("a", { old: true, ready }), podOn("b", { old: true, ready }), podOn("c", { ready })],
      deleted: ["p-a"],
    },
    {
      why: "waits for a new pod to be available",
      pods: [podOn("a", { old: true, ready }), podOn("b"), podOn("c", { ready })],
      deleted: [],
    },
    { why: "waits for a missing pod", pods: [podOn("a", { old: true, ready }), podOn("c", { ready })], deleted: [] },
    {
      why: "always replaces a pod that is not available",
      pods: [podOn("a", { old: true }), podOn("b"), podOn("c", { ready })],
      deleted: ["p-a"],
    },
    {
      why: "rounds percentages up",
      max: "40%",
      pods: [podOn("a", { old: true, ready }), podOn("b", { old: true, ready }), podOn("c", { old: true, ready })],
      deleted: ["p-a", "p-b"],
    },
    {
      why: "is complete when all pods are new",
      pods: ["a", "b", "c"].map((node) => podOn(node, { ready })),
      deleted: [],
    },
  ];
  for (const { why, pods, deleted, max = 1 } of rows) {
    test(why, () => {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: max } };
      expect(names(planUpdate(input(nodes, pods, setOf({ updateStrategy }))).delete)).toEqual(deleted);
    });
  }
  test("does not happen with OnDelete", () => {
    const set = setOf({ updateStrategy: { type: "OnDelete" } });
    expect(planUpdate(input(nodes, [podOn("a", { old: true })], set))).toEqual({ delete: [], create: [] });
  });
});

test("the status counts nodes", () => {
  const nodes = [nodeNamed("a"), nodeNamed("b"), nodeNamed("c", { in: "no" })];
  const pods = [podOn("a", { ready }), podOn("c", { old: true })];
  expect(daemonStatus(input(nodes, pods), true, undefined)).toEqual({
    desiredNumberScheduled: 2,
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
    updatedNumberScheduled: 1,
    observedGeneration: 2,
  });
});

test("the tolerations of daemon pods are added once", () => {
  const own = { key: "node.orch.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
  const tolerations = daemonTolerations({ tolerations: [own], hostNetwork: true }, orch);
  expect(tolerations).toHaveLength(7);
  expect(tolerations[0]).toEqual({ key: "node.orch.io/not-ready", operator: "Exists", effect: "NoExecute" });
  expect(tolerations[6]?.key).toBe("node.orch.io/network-unavailable");
});

test("a failed pod is replaced at once, then with growing delays", () => {
  const clock = createManualClock(0);
  const failed = createFailedPods(clock);
  expect([failed.waitMs("a"), failed.waitMs("a"), failed.waitMs("b")]).toEqual([0, 1_000, 0]);
  clock.advance(1_000);
  expect([failed.waitMs("a"), failed.waitMs("a")]).toEqual([0, 2_000]);
});
