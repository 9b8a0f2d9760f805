import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { createNodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { createPodResizeValidator } from "./pod-resize-validator.ts";

const node = (name: string, more: object = {}) => ({
  resource: "nodes",
  object: {
    metadata: { name, labels: { "orch.io/os": "linux" } },
    status: { allocatable: { cpu: "2", memory: "1Gi" }, ...more },
  },
});
const windows = { resource: "nodes", object: { ...node("w").object, metadata: { name: "w" } } };
const of = (nodeName: string | undefined, cpu: string, more: object = {}) => ({
  metadata: { name: "p" },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: "a", resources: { requests: { cpu } } }], ...more },
});
type Pod = ReturnType<typeof of>;

const create = {
  NodeDeclaredFeatureValidator: createNodeDeclaredFeatureValidator,
  PodResizeValidator: createPodResizeValidator,
};

function admitted(name: keyof typeof create, old: Pod, object: Pod) {
  const features = ["InPlacePodVerticalScalingInitContainers", "InPlacePodLevelResourcesVerticalScaling"];
  const nodes = [node("n"), node("able", { declaredFeatures: features }), windows];
  const { context, admit } = createWorld(nodes, "orch", { level: "1.37" });
  const options = { old, object, operation: "UPDATE", namespace: "a", subresource: "resize" } as const;
  return admit(create[name](context), "pods", options);
}

describe("NodeDeclaredFeatureValidator", () => {
  const init = (cpu: string, more: object = {}) => ({
    initContainers: [{ name: "i", resources: { requests: { cpu } }, ...more }],
  });
  const resized = (nodeName: string | undefined, more: object = {}) =>
    admitted("NodeDeclaredFeatureValidator", of(nodeName, "1", init("1", more)), of(nodeName, "1", init("2", more)));

  test("init containers are resized only on nodes that declare it", async () => {
    await resized("able");
    await expect(resized("n")).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining("requires features InPlacePodVerticalScalingInitContainers"),
    });
  });
  test("a node that does not exist declares nothing", async () => {
    await expect(resized("gone")).rejects.toMatchObject({ code: 403, message: expect.stringContaining("not found") });
  });
  test("pods without a node, sidecars and containers need nothing", async () => {
    await resized(undefined);
    await resized("n", { restartPolicy: "Always" });
    await admitted("NodeDeclaredFeatureValidator", of("n", "1"), of("n", "2"));
  });
  test("resources of the pod as a whole need another feature", async () => {
    const whole = (cpu: string) => ({ resources: { requests: { cpu } } });
    const scaled = (name: string) =>
      admitted("NodeDeclaredFeatureValidator", of(name, "1", whole("1")), of(name, "1", whole("2")));
    await scaled("able");
    await expect(scaled("n")).rejects.toMatchObject({ code: 403 });
  });
});

describe("PodResizeValidator", () => {
  const resized = (nodeName: string | undefined, cpu: string) =>
    admitted("PodResizeValidator", of(nodeName, "1"), of(nodeName, cpu));

  test("a pod gets no more than its node has", async () => {
    await resized("n", "2");
    await expect(resized("n", "2001m")).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining("cpu, requested: 2001, allocatable: 2000"),
      details: { causes: [{ reason: "NodeCapacity" }] },
    });
  });
  test("pods of other systems are not resized", async () => {
    await expect(resized("w", "2")).rejects.toMatchObject({
      code: 403,
      details: { causes: [{ reason: "UnsupportedPlatform" }] },
    });
  });
  test("a pod without a node is not held, one whose node is gone is", async () => {
    await resized(undefined, "9");
    await resized("gone", "1");
    await expect(resized("gone", "2")).rejects.toMatchObject({ code: 403 });
  });
});
