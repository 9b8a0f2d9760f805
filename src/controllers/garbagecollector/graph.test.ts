import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import type { AnyObject, ResourceAddress } from "../../client/contract.ts";
import type { ObjectMeta, OwnerReference } from "../../machinery/schema/object-meta.ts";
import { Graph, type GraphNode } from "./graph.ts";
import { decide, type OwnerState } from "./reconcile.ts";

const maps: ResourceAddress = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const ref = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  ...more,
});
const object = (uid: string, owners: OwnerReference[] = [], more: Partial<ObjectMeta> = {}): AnyObject => ({
  metadata: { namespace: "shop", name: uid, uid, ownerReferences: owners, ...more },
});
const going = (finalizer: string): Partial<ObjectMeta> => ({ deletionTimestamp: "t", finalizers: [finalizer] });

describe("the graph returns the objects to check", () => {
  test("an owner that was never observed, and its dependents once it is known to be deleted", () => {
    const graph = new Graph();
    expect(graph.put(object("d", [ref("o")]), maps).collect).toEqual(["o"]);
    expect(graph.put(object("o"), maps).collect).toEqual([]);
    expect(graph.remove("o").collect).toEqual(["d"]);
  });

  test("an owner that no watch shows, for each object that begins to refer to it", () => {
    const graph = new Graph();
    expect(graph.put(object("d", [ref("o")]), maps).collect).toEqual(["o"]);
    expect(graph.put(object("e", [ref("o")]), maps).collect).toEqual(["o"]);
    expect(graph.put(object("e", [ref("o")], { labels: { a: "b" } }), maps).collect).toEqual([]);
    graph.put(object("o"), maps);
    expect(graph.put(object("f", [ref("o")]), maps).collect).toEqual([]);
    graph.remove("o");
    expect(graph.put(object("g", [ref("o")]), maps).collect).toEqual(["o"]);
  });

  test("an owner whose kind was removed, since it may be gone when the kind is back", () => {
    const graph = new Graph();
    graph.put(object("o"), maps);
    graph.put(object("d", [ref("o")]), maps);
    expect(graph.forget("o").collect).toEqual(["o"]);
    expect(graph.get("o")?.address).toBeUndefined();
    expect(graph.forget("d").collect).toEqual([]);
    expect(graph.size).toBe(0);
  });

  test("a waiting owner, when its last blocking dependent lets go", () => {
    for (const owners of [[], [ref("o", { blockOwnerDeletion: false })]]) {
      const graph = new Graph();
      graph.put(object("o"), maps);
      graph.put(object("d", [ref("o", { blockOwnerDeletion: true })]), maps);
      expect(graph.put(object("o", [], going("foregroundDeletion")), maps).collect).toEqual(["d", "o"]);
      expect(graph.put(object("d", owners), maps).collect).toEqual(["o"]);
    }
  });

  test("one object of very many owners, without looking for each among all", () => {
    const graph = new Graph();
    const owners = Array.from({ length: 20_000 }, (_, at) => ref(`o${at}`));
    const spent = measureWork();
    expect(graph.put(object("d", owners), maps).collect).toHaveLength(20_000);
    expect(graph.put(object("d", owners, { labels: { a: "b" } }), maps).collect).toEqual([]);
    expect(spent()).toBeLessThan(500); // 400 million comparisons take seconds
    graph.put(object("d", owners.slice(1)), maps);
    expect([graph.get("o0"), graph.get("o1")?.dependents.size]).toEqual([undefined, 1]);
  });

  test("a waiting owner, when a dependent is deleted", () => {
    const graph = new Graph();
    graph.put(object("o", [], going("foregroundDeletion")), maps);
    graph.put(object("d", [ref("o", { blockOwnerDeletion: true })]), maps);
    expect(graph.remove("d").collect).toEqual(["o"]);
  });

  test("an owner that orphans its dependents, once", () => {
    const graph = new Graph();
    graph.put(object("o"), maps);
    expect(graph.put(object("o", [], going("orphan")), maps).orphan).toEqual(["o"]);
    expect(graph.put(object("o", [], going("orphan")), maps).orphan).toEqual([]);
  });

  test("a reference to an owner in another namespace, whichever of the two comes first", () => {
    const owner = object("o", [], { namespace: "elsewhere" });
    for (const order of [
      [owner, object("d", [ref("o")])],
      [object("d", [ref("o")]), owner],
    ]) {
      const graph = new Graph();
      const last = order.map((each) => graph.put(each, maps)).at(-1);
      expect(last?.collect).toContain("d");
      expect(last?.misplaced.map(({ node }) => node.uid)).toEqual(["d"]);
    }
  });

  test("an object without dependents is dropped", () => {
    const graph = new Graph();
    graph.put(object("d", [ref("o")]), maps);
    graph.put(object("d", []), maps);
    expect(graph.size).toBe(1);
    graph.put(object("d", [ref("o")]), maps);
    graph.remove("d");
    expect(graph.size).toBe(0);
  });
});

describe("the decision about an object", () => {
  const node = (more: Partial<GraphNode> = {}): GraphNode => ({
    uid: "d",
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: "shop",
    name: "d",
    address: maps,
    resourceVersion: "1",
    owners: [],
    finalizers: [],
    isDeleted: false,
    dependents: new Set(),
    ...more,
  });
  const waiting = node({ uid: "w", isDeleted: true, finalizers: ["foregroundDeletion"] });
  const blocker = node({ uid: "b", owners: [ref("d", { blockOwnerDeletion: true })] });
  const cases: { why: string; states: OwnerState[]; of?: GraphNode; does: unknown }[] = [
    { why: "without owners it is left alone", states: [], does: { do: "nothing" } },
    { why: "one owner is enough", states: ["solid"], does: { do: "nothing" } },
    {
      why: "references to absent owners are removed if other owners exist",
      states: ["solid", "absent"],
      does: { do: "forget", uids: ["1"] },
    },
    {
      why: "references to waiting owners are removed too",
      states: ["solid", "waiting"],
      does: { do: "forget", uids: ["1"] },
    },
    {
      why: "without any owner left it is deleted",
      states: ["absent"],
      does: { do: "delete", policy: "Background", unblock: false },
    },
    {
      why: "a finalizer decides the propagation policy",
      states: ["absent"],
      of: node({ finalizers: ["orphan"] }),
      does: { do: "delete", policy: "Orphan", unblock: false },
    },
    {
      why: "a waiting owner makes its dependents wait for their own dependents",
      states: ["waiting"],
      of: node({ dependents: new Set([blocker]) }),
      does: { do: "delete", policy: "Foreground", unblock: false },
    },
    {
      why: "objects in a cycle do not wait for each other",
      states: ["waiting"],
      of: node({ dependents: new Set([waiting]) }),
      does: { do: "delete", policy: "Foreground", unblock: true },
    },
    {
      why: "a terminating object is ignored",
      states: ["absent"],
      of: node({ isDeleted: true }),
      does: { do: "nothing" },
    },
    { why: "nothing blocks it", states: [], of: { ...waiting }, does: { do: "release" } },
    {
      why: "it waits for dependents that block it",
      states: [],
      of: node({ isDeleted: true, finalizers: ["foregroundDeletion"], dependents: new Set([blocker]) }),
      does: { do: "await", dependents: ["b"] },
    },
  ];
  for (const { why, states, of = node(), does } of cases) {
    test(why, () => {
      const owners = states.map((state, at) => ({ reference: ref(String(at)), state }));
      expect(decide(of, owners)).toEqual(does);
    });
  }
});
