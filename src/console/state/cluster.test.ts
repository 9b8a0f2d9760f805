import { describe, expect, test } from "vitest";
import type { DiscoveredResource } from "../../client/contract.ts";
import { Discovery } from "../../client/discovery/discovery.ts";
import type { ClusterObjects } from "../server/cluster.ts";
import type { Row } from "../server/tables.ts";
import { quantityOf, shortQuantity } from "../server/usage.ts";
import { byteTicksUpTo, spanText, ticksUpTo } from "./axis.ts";
import { problemGroups } from "./cluster-problems.ts";
import { type GraphItem, nodeHeight, nodeWidth, placeGraph, siblingsMax } from "./graph.ts";
import { readKeptKinds, recentMax, withPinned, withRecent } from "./kept-kinds.ts";
import { offeredNamespaces, withNamespace } from "./namespaces.ts";
import { kindGroups, pluralOf } from "./nav.ts";
import { offersFor } from "./palette.ts";
import { titleOf } from "./titles.ts";

const kind = (id: string, name: string, more: Partial<DiscoveredResource> = {}): DiscoveredResource => {
  const [resource = "", ...group] = id.split(".");
  return {
    group: group.join("."),
    version: "v1",
    kind: name,
    resource,
    namespaced: true,
    singularName: name.toLowerCase(),
    verbs: ["list", "create"],
    shortNames: [],
    categories: [],
    subresources: [],
    ...more,
  };
};
const pods = kind("pods", "Pod", { shortNames: ["po"] });
const deployments = kind("deployments.apps", "Deployment");
const nodes = kind("nodes", "Node", { namespaced: false });
const resources = [
  nodes,
  kind("configmaps", "ConfigMap"),
  pods,
  deployments,
  kind("ingresses.extensions", "Ingress"),
  kind("ingresses.networking.orch.io", "Ingress"),
  kind("databases.example.com", "Database"),
];
const groups = [...new Set(resources.map(({ group }) => group))];
const discovery = new Discovery({
  groups: groups.map((name) => ({ name, preferred: "v1", versions: ["v1"] })),
  resources,
  failed: [],
});

describe("the problems of a cluster", () => {
  const nowMs = Date.parse("2026-01-02T00:00:00Z");
  const old = "2026-01-01T00:00:00Z";
  const columns = ["Name", "Ready", "Status", "Restarts"].map((name) => ({ name, description: "", priority: 0 }));
  const row = (name: string, owner: string, cells: readonly string[]): Row => ({
    key: `shop/${name}`,
    name,
    namespace: "shop",
    createdMs: Date.parse(old),
    cells: [name, ...cells],
    uid: name,
    owner,
    changedMs: 0,
    changedCells: [],
  });
  const of = (cluster: ClusterObjects, rows: readonly Row[]) =>
    problemGroups(cluster, { resource: pods, columns, rows }, nowMs).map(
      ({ state, word, owner, objects, resource }) => [
        state,
        word,
        `${objects.length} ${resource.resource}${owner === "" ? "" : ` of ${owner}`}`,
      ],
    );

  test("are one line for each cause, so that a crash is not hidden by hundreds of others", () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      row(`search-${at}`, "search", ["0/1", at % 2 ? "ErrImagePull" : "ImagePullBackOff", "0"]),
    );
    const well = Array.from({ length: 5_000 }, (_, at) => row(`web-${at}`, "web", ["1/1", "Running", "0"]));
    const crash = row("checkout-x", "checkout", ["0/1", "CrashLoopBackOff", "7"]);
    expect(of(new Map(), [...well, ...many, crash])).toEqual([
      ["failing", "ImagePullBackOff", "5000 pods of search"],
      ["failing", "CrashLoopBackOff", "1 pods of checkout"],
    ]);
  });

  test("tell of a workload only what its pods do not tell, and of nodes first", () => {
    const metadata = (name: string) => ({ name, namespace: "shop", creationTimestamp: old });
    const short = (name: string) => ({ metadata: metadata(name), spec: { replicas: 2 }, status: {} });
    const silent = {
      metadata: { name: "node-1", creationTimestamp: old },
      status: { conditions: [{ type: "Ready", status: "False" }] },
    };
    const cluster: ClusterObjects = new Map([
      ["deployments.apps", { resource: deployments, objects: [short("checkout"), short("forbidden")] }],
      ["nodes", { resource: nodes, objects: [silent] }],
    ]);
    expect(of(cluster, [row("checkout-x", "checkout", ["0/1", "Error", "0"])])).toEqual([
      ["failing", "NotReady", "1 nodes"],
      ["failing", "Error", "1 pods of checkout"],
      ["progressing", "0 of 2 ready", "1 deployments of forbidden"],
    ]);
  });

  test("leave a pod its time to start", () => {
    const young = { ...row("a", "", ["0/1", "Running", "0"]), createdMs: nowMs - 5_000 };
    expect(of(new Map(), [young, { ...young, cells: ["a", "0/1", "ContainerCreating", "0"] }])).toEqual([]);
  });
});

describe("the navigation", () => {
  test("has groups by purpose, and kinds of definitions on their own", () => {
    const found = kindGroups(discovery).map(({ purpose, resources }) => [purpose, ...resources.map(pluralOf)]);
    expect(found).toEqual([
      ["Workloads", "Pods", "Deployments"],
      ["Network", "Ingresses"],
      ["Config", "ConfigMaps"],
      ["Cluster", "Nodes"],
      ["Custom", "Databases"],
    ]);
  });

  test("names a kind by its plural, unless that is the word of another kind", () => {
    const name = (kind: string, resource: string) => pluralOf({ kind, resource });
    expect(name("NetworkPolicy", "networkpolicies")).toBe("NetworkPolicies");
    expect(name("CSIStorageCapacity", "csistoragecapacities")).toBe("CSIStorageCapacities");
    expect(name("Endpoints", "endpoints")).toBe("Endpoints");
    expect(name("PodMetrics", "pods")).toBe("PodMetrics");
    expect(name("NodeMetrics", "nodes")).toBe("NodeMetrics");
  });

  test("keeps what was looked at and what was pinned, whatever the storage holds", () => {
    const values = new Map<string, string>([["console-kinds", "{broken"]]);
    const storage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
    };
    expect(readKeptKinds(storage)).toEqual({ pinned: [], recent: [] });
    for (let at = 0; at < recentMax + 3; at++) withRecent(storage, `kind-${at}`);
    withRecent(storage, "kind-6");
    withPinned(storage, "pods", true);
    expect(readKeptKinds(storage)).toEqual({
      pinned: ["pods"],
      recent: ["kind-6", "kind-7", "kind-5", "kind-4", "kind-3"],
    });
    expect(withPinned(storage, "pods", false).pinned).toEqual([]);
  });

  test("names the tab", () => {
    expect(titleOf({ view: "server" }, "shop")).toBe("Server · shop");
    const object = {
      view: "object",
      group: "",
      version: "v1",
      resource: "pods",
      namespace: "a",
      name: "web",
      part: "logs",
    } as const;
    expect(titleOf(object, "")).toBe("web · logs · pods · Console");
  });
});

describe("a field for namespaces", () => {
  test("offers what is being typed, after the last comma", () => {
    const names = ["default", "shop", "workshop", "data"];
    expect(offeredNamespaces(names, "")).toEqual(["", "data", "default", "shop", "workshop"]);
    expect(offeredNamespaces(names, "sho")).toEqual(["shop", "workshop"]);
    expect(offeredNamespaces(names, "shop, d")).toEqual(["data", "default"]);
    expect(withNamespace("shop, d", "data")).toBe("shop, data");
    expect(withNamespace("sho", "")).toBe("");
  });
});

describe("the palette", () => {
  const offered = {
    discovery,
    namespace: "shop",
    objects: [{ resource: pods, name: "podium-1", namespace: "shop" }],
    isReadOnly: false,
  };
  const labels = (typed: string, more = {}) =>
    offersFor(typed, { ...offered, ...more }).map(({ label, hint }) => `${label}: ${hint}`);

  test("takes a kind with a namespace, a page, the name of an object and what is new", () => {
    expect(offersFor("po data", offered)[0]?.href).toBe("#/objects/core/v1/pods?namespace=data");
    expect(offersFor("po all", offered)[0]?.href).toBe("#/objects/core/v1/pods");
    expect(labels("po")).toEqual(["Pods: Workloads, in shop", "podium-1: Pod in shop"]);
    expect(labels("podi")).toEqual(["podium-1: Pod in shop"]);
    expect(labels("serv")).toEqual(["Server: page"]);
    expect(labels("new deploy")).toEqual(["New Deployment: apps"]);
    expect(labels("new deploy", { isReadOnly: true })).toEqual([]);
  });
});

describe("a picture of relations", () => {
  const leaf = (id: string, of = "Pod"): GraphItem => ({ id, kind: of, name: id, href: "#", as: "", children: [] });
  const own = leaf("own", "Deployment");

  test("stays readable with 500 objects: those of one kind are one node, until it is opened", () => {
    const sets = Array.from({ length: 5 }, (_, at) => ({
      ...leaf(`set-${at}`, "ReplicaSet"),
      children: Array.from({ length: 100 }, (_, one) => leaf(`pod-${at}-${one}`)),
    }));
    const closed = placeGraph({ own, left: [leaf("above", "App")], right: sets }, () => false);
    expect(closed.nodes.length).toBe(1 + 1 + 5 + 5);
    expect(closed.nodes.filter(({ folded }) => folded === 100).length).toBe(5);
    const open = placeGraph({ own, left: [], right: sets }, () => true);
    expect(open.nodes.length).toBe(1 + 5 + 500);
    const places = open.nodes.toSorted((a, b) => a.x - b.x || a.y - b.y);
    for (const [at, node] of places.entries()) {
      const next = places[at + 1];
      if (next?.x === node.x) expect(next.y - node.y).toBeGreaterThan(nodeHeight);
      expect(node.x).toBeGreaterThanOrEqual(0);
      expect(node.y).toBeGreaterThanOrEqual(0);
      expect(node.x + nodeWidth).toBeLessThanOrEqual(open.width);
      expect(node.y + nodeHeight).toBeLessThanOrEqual(open.height);
    }
  });

  test("does not fold a few", () => {
    const few = Array.from({ length: siblingsMax }, (_, at) => leaf(`pod-${at}`));
    expect(placeGraph({ own, left: [], right: few }, () => false).nodes.length).toBe(1 + siblingsMax);
  });
});

describe("axes and figures", () => {
  test.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [0.03, [0, 0.01, 0.02, 0.03]],
    [7, [0, 2, 4, 6, 8]],
    [39.3, [0, 10, 20, 30, 40]],
  ])("up to %s are round", (largest, ticks) => expect(ticksUpTo(largest)).toEqual(ticks));

  test("of bytes are round in their unit", () => {
    expect(byteTicksUpTo(163 * 2 ** 20).at(-1)).toBe(200 * 2 ** 20);
    expect([spanText(0), spanText(45_000), spanText(150_000)]).toEqual(["now", "45 s", "2.5 min"]);
  });

  test("read quantities as precisely as a picture needs", () => {
    expect(["250m", "2", "1Gi", "1e3", "12k", "odd", ""].map(quantityOf)).toEqual([
      0.25,
      2,
      2 ** 30,
      1_000,
      12_000,
      0,
      0,
    ]);
    expect([shortQuantity(0.25, false), shortQuantity(1.44, false), shortQuantity(3.4 * 2 ** 30, true)]).toEqual([
      "250m",
      "1.4",
      "3.4 Gi",
    ]);
  });
});
