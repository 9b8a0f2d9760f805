import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { createPodTopologyLabels } from "./pod-topology-labels.ts";

const zone = { "topology.orch.io/zone": "z", "topology.orch.io/region": "r" };
const node = { resource: "nodes", object: { metadata: { name: "n", labels: { ...zone, other: "o" } } } };

describe("PodTopologyLabels", () => {
  test("a pod that is created on a node gets its zone and region, and keeps its other labels", async () => {
    const { context, admit } = createWorld([node], "orch", { level: "1.35" });
    const object = { metadata: { name: "p", labels: { a: "b" } }, spec: { nodeName: "n", containers: [] } };
    const made = await admit(createPodTopologyLabels(context), "pods", { object, namespace: "a" });
    expect(made?.metadata.labels).toEqual({ a: "b", ...zone });
  });

  test("a pod without a node, and one on a node that does not exist, get nothing", async () => {
    const { context, admit } = createWorld([node], "orch", { level: "1.35" });
    for (const spec of [{ containers: [] }, { containers: [], nodeName: "missing" }]) {
      const object = { metadata: { name: "p" }, spec };
      const made = await admit(createPodTopologyLabels(context), "pods", { object, namespace: "a" });
      expect(made?.metadata.labels).toBeUndefined();
    }
  });
});
