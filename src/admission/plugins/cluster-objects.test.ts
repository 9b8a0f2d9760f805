import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { createStorageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { createTaintNodesByCondition } from "./taint-nodes-by-condition.ts";

const world = createWorld([]);

describe("StorageObjectInUseProtection", () => {
  const plugin = createStorageObjectInUseProtection(world.context);
  const finalizersAfter = async (finalizers?: string[]) => {
    const object = { metadata: { name: "v", ...(finalizers ? { finalizers } : {}) } };
    return (await world.admit(plugin, "persistentvolumes", { object }))?.metadata.finalizers;
  };
  test("adds its finalizer after others, and only once", async () => {
    expect(await finalizersAfter()).toEqual(["orch.io/pv-protection"]);
    expect(await finalizersAfter(["a/b"])).toEqual(["a/b", "orch.io/pv-protection"]);
    expect(await finalizersAfter(["orch.io/pv-protection"])).toEqual(["orch.io/pv-protection"]);
  });
  test("ignores updates and other kinds", () => {
    const object = { metadata: { name: "v" } };
    expect(plugin.handles(world.request("persistentvolumes", { object, operation: "UPDATE" }))).toBe(false);
    expect(plugin.handles(world.request("pods", { object }))).toBe(false);
  });
});

describe("TaintNodesByCondition", () => {
  const plugin = createTaintNodesByCondition(world.context);
  const notReady = { key: "node.orch.io/not-ready", effect: "NoSchedule" };
  const taintsAfter = async (taints?: unknown[]) => {
    const object = { metadata: { name: "n" }, ...(taints ? { spec: { taints } } : {}) };
    return (await world.admit(plugin, "nodes", { object }))?.["spec"];
  };
  test("a new node is tainted once", async () => {
    expect(await taintsAfter()).toEqual({ taints: [notReady] });
    expect(await taintsAfter([notReady])).toEqual({ taints: [notReady] });
    const other = { key: "a", effect: "NoExecute" };
    expect(await taintsAfter([other])).toEqual({ taints: [other, notReady] });
  });
});
