import { describe, expect, test } from "vitest";
import { nodeNameOf } from "../api/core/v1/node/user.ts";
import { orch } from "../vocabulary/orch.ts";
import type { Attributes } from "./contract.ts";
import { createNodeAuthorizer } from "./node.ts";
import { NodeGraph } from "./node-graph.ts";
import { nodeConfiguration, podReferences, volumeReferences } from "./node-references.ts";

const mirror = "orch.io/config.mirror";
const pod = {
  metadata: { name: "p", uid: "1" },
  spec: {
    nodeName: "n1",
    serviceAccountName: "sa",
    imagePullSecrets: [{ name: "pull" }],
    initContainers: [{ envFrom: [{ secretRef: { name: "init" } }, { configMapRef: { name: "initmap" } }] }],
    containers: [
      {
        env: [
          { valueFrom: { secretKeyRef: { name: "env" } } },
          { valueFrom: { configMapKeyRef: { name: "envmap" } } },
          { value: "plain" },
        ],
      },
    ],
    volumes: [
      { name: "a", secret: { secretName: "vol" } },
      { name: "b", configMap: { name: "volmap" } },
      { name: "c", persistentVolumeClaim: { claimName: "claim" } },
      { name: "d", ephemeral: {} },
      { name: "e", projected: { sources: [{ secret: { name: "proj" } }, { configMap: { name: "projmap" } }] } },
      { name: "f", rbd: { secretRef: { name: "rbd" } } },
      { name: "g", csi: { nodePublishSecretRef: { name: "csi" } } },
    ],
  },
};

function graphWithPod() {
  const graph = new NodeGraph();
  graph.setPod("ns", "p", podReferences(pod, mirror));
  return graph;
}
const ask = (graph: NodeGraph, what: Partial<Attributes>, name = "system:node:n1", groups = ["system:nodes"]) =>
  createNodeAuthorizer({ graph, vocabulary: orch }).authorize({
    user: { name, uid: "", groups, extra: new Map() },
    verb: "get",
    isResource: true,
    path: "",
    group: "",
    version: "v1",
    resource: "secrets",
    subresource: "",
    namespace: "ns",
    name: "vol",
    ...what,
  }) as { outcome: string };
const allows = (graph: NodeGraph, what: Partial<Attributes>, name?: string, groups?: string[]) =>
  ask(graph, what, name, groups).outcome === "allow";

describe("the references of a pod", () => {
  test("include every Secret, ConfigMap, claim and account that it names", () => {
    const { node, references } = podReferences(pod, mirror);
    expect(node).toBe("n1");
    const named = (kind: string) => references.filter((r) => r.kind === kind).map((r) => r.name);
    expect(named("secret")).toEqual(["pull", "init", "env", "vol", "proj", "rbd", "csi"]);
    expect(named("configmap")).toEqual(["initmap", "envmap", "volmap", "projmap"]);
    expect(named("claim")).toEqual(["claim", "p-d"]);
    expect(named("account")).toEqual(["sa"]);
  });

  test("of a mirror pod grant its node nothing", () => {
    const own = { ...pod, metadata: { ...pod.metadata, annotations: { [mirror]: "x" } } };
    expect(podReferences(own, mirror).references).toEqual([]);
  });

  test("through a volume include the Secrets that a node needs to mount it, not those of controllers", () => {
    expect(
      volumeReferences({
        spec: {
          claimRef: { namespace: "ns", name: "claim" },
          csi: {
            nodePublishSecretRef: { name: "publish", namespace: "x" },
            controllerPublishSecretRef: { name: "controller" },
          },
          azureFile: { secretName: "azure" },
        },
      }),
    ).toEqual({
      claim: { namespace: "ns", name: "claim" },
      secrets: [
        { namespace: "ns", name: "azure" },
        { namespace: "x", name: "publish" },
      ],
    });
    expect(volumeReferences({ spec: {} })).toEqual({ claim: undefined, secrets: [] });
  });

  test("include the ConfigMap of the node's own configuration", () => {
    expect(nodeConfiguration({ spec: { configSource: { configMap: { name: "c", namespace: "n" } } } })).toEqual({
      name: "c",
      namespace: "n",
    });
    expect(nodeConfiguration({ spec: {} })).toBeUndefined();
  });
});

describe("the node authorizer of 1.32", () => {
  const user = { name: "system:node:n1", uid: "", groups: ["system:nodes"], extra: new Map() };
  const ask = (asked: Partial<Attributes>) => {
    const none = { isResource: true, path: "", group: "", version: "v1", subresource: "", namespace: "", name: "" };
    const { authorize } = createNodeAuthorizer({ graph: graphWithPod(), vocabulary: orch, level: "1.35" });
    const decision = authorize({ user, verb: "get", resource: "pods", ...none, ...asked });
    return "outcome" in decision && decision.outcome === "allow";
  };
  const by = (...values: string[]) => ({ fieldSelector: [{ key: "spec.nodeName", operator: "In" as const, values }] });

  test("a node lists and watches its own pods only, by the selector of its name", () => {
    for (const verb of ["list", "watch"]) {
      expect([ask({ verb, ...by("n1") }), ask({ verb, ...by("n2") }), ask({ verb })]).toEqual([true, false, false]);
    }
    expect(ask({ verb: "deletecollection", ...by("n1") })).toBe(false);
    expect(ask({ namespace: "ns", name: "p" })).toBe(true);
    expect(ask({ namespace: "ns", name: "other" })).toBe(false);
    expect(ask({ verb: "patch", subresource: "status", namespace: "ns", name: "p" })).toBe(true);
  });

  test("a node reads itself only, and the accounts of its pods", () => {
    const resource = "nodes";
    expect([ask({ resource, name: "n1" }), ask({ resource, name: "n2" }), ask({ resource, verb: "list" })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(ask({ resource, verb: "list", name: "n1" })).toBe(true);
    const account = { resource: "serviceaccounts", namespace: "ns" };
    expect([ask({ ...account, name: "sa" }), ask({ ...account, name: "other" })]).toEqual([true, false]);
  });

  test("a node selects resource slices by its name", () => {
    const slices = { group: "resource.orch.io", resource: "resourceslices" };
    for (const verb of ["list", "watch", "deletecollection"]) {
      expect([ask({ ...slices, verb, ...by("n1") }), ask({ ...slices, verb })]).toEqual([true, false]);
    }
    expect([ask({ ...slices, verb: "create" }), ask({ ...slices, name: "x" })]).toEqual([true, false]);
  });
});

describe("the node authorizer", () => {
  test("a node reads what its pods need, by name, and nothing else", () => {
    const graph = graphWithPod();
    for (const verb of ["get", "list", "watch"]) expect(allows(graph, { verb })).toBe(true);
    const refused: Partial<Attributes>[] = [
      { name: "other" },
      { namespace: "elsewhere" },
      { verb: "list", name: "" },
      { verb: "update" },
      { verb: "delete" },
      { subresource: "status" },
    ];
    for (const what of refused) expect(allows(graph, what), JSON.stringify(what)).toBe(false);
    expect(allows(graph, {}, "system:node:n2")).toBe(false);
  });

  test("access ends with the last pod that needs it", () => {
    const graph = graphWithPod();
    graph.setPod("ns", "q", podReferences(pod, mirror));
    graph.deletePod("ns", "p");
    expect(allows(graph, {})).toBe(true);
    graph.deletePod("ns", "q");
    expect(allows(graph, {})).toBe(false);
  });

  test("a pod that is recreated on another node moves its access there", () => {
    const graph = graphWithPod();
    graph.setPod("ns", "p", { ...podReferences(pod, mirror), node: "n2", uid: "2" });
    expect(allows(graph, {})).toBe(false);
    expect(allows(graph, {}, "system:node:n2")).toBe(true);
  });

  test("a node reads the volumes of its claims, and their Secrets", () => {
    const graph = graphWithPod();
    graph.setVolume("pv", { namespace: "ns", name: "claim" }, [{ namespace: "ns", name: "pvsecret" }]);
    expect(allows(graph, { resource: "persistentvolumeclaims", name: "claim" })).toBe(true);
    expect(allows(graph, { resource: "persistentvolumes", namespace: "", name: "pv" })).toBe(true);
    expect(allows(graph, { name: "pvsecret" })).toBe(true);
    expect(allows(graph, { resource: "persistentvolumes", namespace: "", name: "pv" }, "system:node:n2")).toBe(false);
    const status = { resource: "persistentvolumeclaims", name: "claim", subresource: "status" };
    expect(allows(graph, { ...status, verb: "patch" })).toBe(true);
    expect(allows(graph, { ...status, verb: "get" })).toBe(false);
    graph.deleteVolume("pv");
    expect(allows(graph, { name: "pvsecret" })).toBe(false);
  });

  test("a node has access to its attachments, configuration, leases and tokens", () => {
    const graph = graphWithPod();
    graph.setAttachment("va", "n1");
    const attachment = { group: "storage.orch.io", resource: "volumeattachments", namespace: "", name: "va" };
    expect(allows(graph, attachment)).toBe(true);
    expect(allows(graph, attachment, "system:node:n2")).toBe(false);
    graph.setConfiguration("n1", { namespace: "ns", name: "conf" });
    expect(allows(graph, { resource: "configmaps", name: "conf" })).toBe(true);
    graph.setConfiguration("n1", undefined);
    expect(allows(graph, { resource: "configmaps", name: "conf" })).toBe(false);
    const lease = { group: "coordination.orch.io", resource: "leases", namespace: "orch-node-lease" };
    expect(allows(graph, { ...lease, verb: "update", name: "n1" })).toBe(true);
    expect(allows(graph, { ...lease, verb: "create", name: "" })).toBe(true);
    expect(allows(graph, { ...lease, verb: "update", name: "n2" })).toBe(false);
    expect(allows(graph, { ...lease, verb: "list", name: "" })).toBe(false);
    expect(allows(graph, { ...lease, verb: "update", name: "n1", namespace: "ns" })).toBe(false);
    const token = { resource: "serviceaccounts", subresource: "token", verb: "create", name: "sa" };
    expect(allows(graph, token)).toBe(true);
    expect(allows(graph, { ...token, name: "other" })).toBe(false);
    expect(allows(graph, { ...token, subresource: "" })).toBe(false);
  });

  test("the rights of all nodes follow the role of nodes", () => {
    const graph = new NodeGraph();
    expect(allows(graph, { verb: "list", resource: "services", name: "" })).toBe(true);
    expect(allows(graph, { verb: "delete", resource: "nodes", name: "n1" })).toBe(false);
  });

  test("a node is recognized by name and group together", () => {
    const services = { verb: "list", resource: "services", name: "" };
    expect(allows(new NodeGraph(), services, "system:node:n1", [])).toBe(false);
    expect(allows(new NodeGraph(), services, "n1", ["system:nodes"])).toBe(false);
    expect(allows(new NodeGraph(), services, "system:node:", ["system:nodes"])).toBe(false);
    expect(nodeNameOf({ name: "system:node:a", groups: ["system:nodes"] })).toBe("a");
  });
});

describe("since 1.32 a node may use its own devices", () => {
  const withClaims = {
    metadata: { name: "p", uid: "1" },
    spec: { nodeName: "n1", resourceClaims: [{ name: "a", resourceClaimName: "named" }, { name: "b" }] },
    status: { resourceClaimStatuses: [{ name: "b", resourceClaimName: "made" }] },
  };
  const allowsAt = async (graph: NodeGraph, what: Partial<Attributes>) => {
    const authorizer = createNodeAuthorizer({ graph, vocabulary: orch, level: "1.35" });
    const user = { name: "system:node:n1", uid: "", groups: ["system:nodes"], extra: new Map() };
    const { outcome } = await authorizer.authorize({
      user,
      verb: "get",
      isResource: true,
      path: "",
      group: "resource.orch.io",
      version: "v1",
      resource: "resourceclaims",
      subresource: "",
      namespace: "ns",
      name: "",
      ...what,
    });
    return outcome === "allow";
  };

  test("claims that its pods name, or that are made for them", async () => {
    const graph = new NodeGraph();
    graph.setPod("ns", "p", podReferences(withClaims, mirror));
    expect(await allowsAt(graph, { name: "named" })).toBe(true);
    expect(await allowsAt(graph, { name: "made" })).toBe(true);
    expect(await allowsAt(graph, { name: "other" })).toBe(false);
    expect(await allowsAt(graph, { name: "named", namespace: "else" })).toBe(false);
    expect(await allowsAt(graph, { name: "named", verb: "update" })).toBe(false);
    expect(await allowsAt(graph, { verb: "list" })).toBe(false);
  });

  test("slices of its own name", async () => {
    const graph = new NodeGraph();
    graph.setSlice("mine", "n1");
    graph.setSlice("theirs", "n2");
    const slice = (name: string, verb = "get") =>
      allowsAt(graph, { resource: "resourceslices", namespace: "", name, verb });
    expect(await slice("mine")).toBe(true);
    expect(await slice("mine", "delete")).toBe(true);
    expect(await slice("theirs")).toBe(false);
    graph.deleteSlice("mine");
    expect(await slice("mine")).toBe(false);
  });
});
