import { describe, expect, test } from "vitest";
import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { isPodReady } from "../parts/pods/state.ts";
import { planSurge, superfluousPods, surgeCount } from "./surge.ts";

const setOf = (maxSurge: number | string, type = "RollingUpdate"): DaemonSet => ({
  metadata: { name: "d" },
  spec: {
    selector: {},
    template: { spec: { containers: [] } },
    updateStrategy: { type, rollingUpdate: { maxSurge, maxUnavailable: 0 } },
  },
});
const input = { set: setOf(1), hash: "new", isAvailable: isPodReady };

/** "new ready" or "old". */
function pod(node: string, facts: string): Pod {
  const [revision = ""] = facts.split(" ");
  const ready = facts.includes("ready") ? { ready: "2021-05-01T00:00:00Z" } : {};
  const labels = { "controller-revision-hash": revision };
  return podOf({ name: `${node} ${facts}`, labels, ...ready, deleting: facts.includes("deleting") });
}
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe("how many nodes may have two pods", () => {
  test.each([
    [1, true, 1],
    ["30%", true, 2],
    [1, false, 0],
    [0, true, 0],
  ])("a surge of %s with the gate %s: %s of four", (maxSurge, isOn, count) => {
    expect(surgeCount(setOf(maxSurge), 4, isOn)).toBe(count);
  });
  test("none with OnDelete", () => {
    expect(surgeCount(setOf(1, "OnDelete"), 4, true)).toBe(0);
  });
});

describe("of the pods of one node", () => {
  const rows = [
    { why: "an old one stays until the new one is available", pods: ["old ready", "new"], gone: [] },
    {
      why: "an old one is deleted when the new one is available",
      pods: ["old ready", "new ready"],
      gone: ["a old ready"],
    },
    { why: "an old one that is not available is deleted at once", pods: ["old", "new"], gone: ["a old"] },
    { why: "a second new one is deleted", pods: ["new", "new ready"], gone: ["a new ready"] },
    { why: "a single one stays", pods: ["old"], gone: [] },
  ];
  for (const { why, pods, gone } of rows) {
    test(why, () =>
      expect(
        names(
          superfluousPods(
            pods.map((facts) => pod("a", facts)),
            input,
          ),
        ),
      ).toEqual(gone),
    );
  }
});

describe("an update with a surge", () => {
  const plan = (nodes: Record<string, readonly string[]>, surge = 1) => {
    const byNode = new Map(Object.entries(nodes).map(([node, all]) => [node, all.map((facts) => pod(node, facts))]));
    const { create, delete: surplus } = planSurge(byNode, surge, input);
    return { create, gone: names(surplus) };
  };
  const rows = [
    { why: "begins on one node", nodes: { a: ["old ready"], b: ["old ready"] }, create: ["a"], gone: [] },
    { why: "waits for the new pod", nodes: { a: ["old ready", "new"], b: ["old ready"] }, create: [], gone: [] },
    {
      why: "continues when it is available",
      nodes: { a: ["old ready", "new ready"], b: ["old ready"] },
      create: ["b"],
      gone: ["a old ready"],
    },
    {
      why: "replaces pods that are not available beyond the surge",
      nodes: { a: ["old"], b: ["old"] },
      create: ["a", "b"],
      gone: [],
    },
    { why: "leaves nodes without a pod to the normal pass", nodes: { a: [], b: ["new"] }, create: [], gone: [] },
    {
      why: "does not count terminating pods",
      nodes: { a: ["old deleting", "new"], b: ["old ready"] },
      create: ["b"],
      gone: [],
    },
  ];
  for (const { why, nodes, create, gone } of rows) test(why, () => expect(plan(nodes)).toEqual({ create, gone }));
});
