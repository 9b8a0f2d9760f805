import { describe, expect, test } from "vitest";
import { countTurns } from "../../base/turn-counter.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { readSlowly } from "../admission.suite.ts";
import { asks, pod, quota, worldOf, zeroOf } from "./resource-quota.suite.ts";
import { quotasChargedMax } from "./resource-quota.ts";

describe("refusals", () => {
  const refused = { code: 403, details: { kind: "pods", name: "p" } };

  test("usage above the limit is refused, and nothing is charged", async () => {
    const { admit, used } = worldOf([quota("q", { pods: "2", cpu: "1" }, { pods: "1", cpu: "500m" })]);
    await expect(admit("pods", pod({ containers: [asks({ cpu: "501m" })] }))).rejects.toMatchObject(refused);
    await expect(admit("pods", pod({ containers: [asks({ cpu: "501m" })] }))).rejects.toThrow(
      /exceeded quota: q, requested: .*cpu=/,
    );
    expect(used()).toEqual({ pods: "1", cpu: "500m" });
    await admit("pods", pod({ containers: [asks({ cpu: "500m" })] }));
    expect(used()).toEqual({ pods: "2", cpu: "1" });
  });
  test("everything is refused until usage is known", async () => {
    const { admit } = worldOf([quota("q", { pods: "5", services: "5" }, { services: "0" })]);
    await expect(admit("pods", pod())).rejects.toMatchObject(refused);
    await admit("services", { metadata: { name: "s" }, spec: {} });
  });
  test("a container without the cpu or memory that the quota limits is refused", async () => {
    const hard = { "requests.cpu": "1", "limits.memory": "1Gi", "requests.ephemeral-storage": "1Gi" };
    const { admit } = worldOf([quota("q", hard, zeroOf(hard))]);
    const full = asks({ cpu: "1m" }, { memory: "1Mi" });
    await admit("pods", pod({ containers: [full] }));
    await expect(admit("pods", pod({ containers: [full, asks({ cpu: "1m" })] }))).rejects.toThrow(/limits.memory/);
    await expect(admit("pods", pod({ containers: [full], initContainers: [{ name: "i" }] }))).rejects.toThrow(
      /requests.cpu,limits.memory/,
    );
  });
  test("a decrease is accepted, even if usage is over the limit", async () => {
    const { admit, used } = worldOf([quota("q", { "services.loadbalancers": "1" }, { "services.loadbalancers": "3" })]);
    const [plain, balanced] = ["ClusterIP", "LoadBalancer"].map((type) => ({
      metadata: { name: "s" },
      spec: { type },
    }));
    await admit("services", plain as object, { operation: "UPDATE", old: balanced as ApiObject });
    expect(used()).toEqual({ "services.loadbalancers": "3" });
  });
  test("limits that are not in the status yet have no effect", async () => {
    const { admit } = worldOf([
      {
        resource: "resourcequotas",
        object: { metadata: { name: "q", namespace: "a" }, spec: { hard: { pods: "0" } } },
      },
    ]);
    await admit("pods", pod());
  });
  test("a dry run is checked and not charged", async () => {
    const { admit, used } = worldOf([quota("q", { pods: "1" }, { pods: "0" })]);
    await admit("pods", pod(), { dryRun: true });
    expect(used()).toEqual({ pods: "0" });
    await admit("pods", pod());
    await expect(admit("pods", pod(), { dryRun: true })).rejects.toMatchObject(refused);
  });
  test("a create whose name is taken is not charged", async () => {
    const existing = { resource: "pods", object: { ...pod(), metadata: { name: "p", namespace: "a" } } as ApiObject };
    const { admit, used } = worldOf([quota("q", { pods: "1" }, { pods: "0" }), existing]);
    await admit("pods", pod());
    expect(used()).toEqual({ pods: "0" });
  });
  test("pods that are created at once beside many quotas are counted one by one", async () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`requests.example.com/r${at}`, "5"]));
    const others = Array.from({ length: 100 }, (_, at) => quota(`wide${at}`, wide, zeroOf(wide)));
    const { admit, used } = worldOf([quota("q", { pods: "20" }, { pods: "0" }), ...others]);
    const create = (_: unknown, at: number) =>
      admit("pods", { ...pod(), metadata: { name: `p${at}`, namespace: "a" } });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, create));
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(20);
    expect(used()).toEqual({ pods: "20" });
  });
  test("thousands of quotas are read in slices", async () => {
    const { admit, world } = worldOf(Array.from({ length: 60 }, (_, at) => quota(`q${at}`, { services: "1" }, {})));
    const turns = readSlowly(world.context);
    await admit("pods", pod());
    expect(turns.reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.max(...turns)).toBeLessThan(30);
  });
  test("an object is charged to hundreds of quotas in many turns, and back again, and not to more", async () => {
    const quotas = (count: number) =>
      Array.from({ length: count }, (_, at) => quota(`q${at}`, { pods: "9" }, { pods: "0" }));
    const most = worldOf(quotas(quotasChargedMax));
    const { registry } = most.world.context;
    const { update } = registry;
    registry.update = (...given) => {
      for (const end = performance.now() + 0.5; performance.now() < end; );
      return update(...given);
    };
    const turns = countTurns();
    const request = most.world.request("pods", { namespace: "a", object: pod() as ApiObject });
    await most.plugin.validate?.(request);
    const whileCharged = turns.turn;
    for (const callback of request.waiting ?? []) await callback("failed");
    turns.stop();
    expect([whileCharged > 5, turns.turn > whileCharged + 5]).toEqual([true, true]);
    expect([most.used("q0"), most.used(`q${quotasChargedMax - 1}`)]).toEqual([{ pods: "0" }, { pods: "0" }]);
    const more = worldOf(quotas(quotasChargedMax + 1));
    await expect(more.admit("pods", pod())).rejects.toThrow(
      `${quotasChargedMax + 1} quotas of namespace a limit what it uses, and at most ${quotasChargedMax} may`,
    );
    await more.admit("services", { metadata: { name: "s" } });
  });
  test("a namespace has quotas of its own", async () => {
    const { admit } = worldOf([quota("q", { pods: "0" }, { pods: "0" })]);
    await admit("pods", pod(), { namespace: "b" });
  });
});

describe("scopes", () => {
  const term = { topologyKey: "t", namespaces: ["other"] };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const selects = (operator: string, ...values: string[]) => ({
    scopeSelector: {
      matchExpressions: [{ scopeName: "PriorityClass", operator, ...(values.length ? { values } : {}) }],
    },
  });
  const high = { priorityClassName: "high" };
  const busy = { containers: [asks({ cpu: "1m" })] };
  const rows: { why: string; scope: object; spec: object; counted: boolean }[] = [
    { why: "BestEffort with a pod without requests", scope: { scopes: ["BestEffort"] }, spec: {}, counted: true },
    { why: "BestEffort with a pod with requests", scope: { scopes: ["BestEffort"] }, spec: busy, counted: false },
    { why: "NotBestEffort with a pod with requests", scope: { scopes: ["NotBestEffort"] }, spec: busy, counted: true },
    {
      why: "Terminating with a deadline",
      scope: { scopes: ["Terminating"] },
      spec: { activeDeadlineSeconds: 5 },
      counted: true,
    },
    { why: "Terminating without a deadline", scope: { scopes: ["Terminating"] }, spec: {}, counted: false },
    { why: "NotTerminating without a deadline", scope: { scopes: ["NotTerminating"] }, spec: {}, counted: true },
    {
      why: "two scopes of which one matches",
      scope: { scopes: ["BestEffort", "Terminating"] },
      spec: {},
      counted: false,
    },
    { why: "any priority class", scope: { scopes: ["PriorityClass"] }, spec: high, counted: true },
    { why: "any priority class, without one", scope: selects("Exists"), spec: {}, counted: false },
    { why: "a named priority class", scope: selects("In", "high"), spec: high, counted: true },
    { why: "another priority class than the named one", scope: selects("In", "low"), spec: high, counted: false },
    { why: "NotIn with another priority class", scope: selects("NotIn", "low"), spec: high, counted: true },
    { why: "NotIn without a priority class", scope: selects("NotIn", "low"), spec: {}, counted: true },
    { why: "NotIn with one of the classes", scope: selects("NotIn", "high"), spec: high, counted: false },
    { why: "DoesNotExist without a priority class", scope: selects("DoesNotExist"), spec: {}, counted: true },
    {
      why: "affinity to pods in another namespace",
      scope: { scopes: ["CrossNamespacePodAffinity"] },
      spec: { affinity },
      counted: true,
    },
    {
      why: "no affinity to pods in another namespace",
      scope: { scopes: ["CrossNamespacePodAffinity"] },
      spec: {},
      counted: false,
    },
  ];
  for (const { why, scope, spec, counted } of rows) {
    test(`${why}: ${counted ? "counted" : "not counted"}`, async () => {
      const { admit, used } = worldOf([quota("q", { pods: "5" }, { pods: "0" }, scope)]);
      await admit("pods", pod(spec));
      expect(used()).toEqual({ pods: counted ? "1" : "0" });
    });
  }
  test("objects other than pods are in no scope", async () => {
    const { admit, used } = worldOf([quota("q", { services: "0" }, { services: "0" }, { scopes: ["NotBestEffort"] })]);
    await admit("services", { metadata: { name: "s" }, spec: {} });
    expect(used()).toEqual({ services: "0" });
  });
});

describe("several at once", () => {
  test("a charge to one quota is refunded when the next one refuses", async () => {
    const { admit, used, world } = worldOf([
      quota("q1", { pods: "5" }, { pods: "0" }),
      quota("q2", { pods: "5" }, { pods: "0" }),
    ]);
    // Another server takes the rest of the second quota when ours has already looked.
    const { registry } = world.context;
    const { update } = registry;
    registry.update = async (kind, ref, change, ...rest) => {
      if (ref.name === "q2") {
        const taken = { hard: { pods: "5" }, used: { pods: "5" } };
        await update<ApiObject>(kind, ref, (current) => ({ ...current!, status: taken }), ...rest);
      }
      return update(kind, ref, change, ...rest);
    };
    await expect(admit("pods", pod())).rejects.toMatchObject({ code: 403 });
    expect([used("q1"), used("q2")]).toEqual([{ pods: "0" }, { pods: "5" }]);
  });
  test("of many concurrent creates only as many succeed as the quota allows", async () => {
    const { admit, used } = worldOf([quota("q", { pods: "3" }, { pods: "0" })]);
    const asked = Array.from({ length: 10 }, (_, index) => admit("pods", pod({}, `p${index}`)));
    const passed = (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled");
    expect([passed.length, used()]).toEqual([3, { pods: "3" }]);
  });
  test("a quota that was deleted before it is charged limits nothing", async () => {
    const { admit, world } = worldOf([quota("q", { pods: "1" }, { pods: "0" })]);
    const { registry } = world.context;
    const { update } = registry;
    registry.update = (kind, ref, ...rest) => update(kind, { ...ref, name: "gone" }, ...rest);
    await admit("pods", pod());
  });
});

describe("resources that the operator limits", () => {
  const configured = (...limitedResources: object[]) => ({
    ResourceQuota: {
      apiVersion: "apiserver.config.orch.io/v1",
      kind: "ResourceQuotaConfiguration",
      limitedResources,
    },
  });
  const gold = "gold.storageclass.storage.orch.io/requests.storage";
  const claim = (storageClassName: string) => ({
    metadata: { name: "c" },
    spec: { storageClassName, resources: { requests: { storage: "1Gi" } } },
  });
  const highOnly = { scopeName: "PriorityClass", operator: "In", values: ["high"] };
  const storage = configured({ resource: "persistentvolumeclaims", matchContains: [gold] });
  const priority = configured({ resource: "pods", matchScopes: [highOnly] });

  test("a resource that matches by name needs a quota that limits it", async () => {
    const none = worldOf([], storage);
    await expect(none.admit("persistentvolumeclaims", claim("gold"))).rejects.toThrow(/insufficient quota to consume/);
    await none.admit("persistentvolumeclaims", claim("silver"));
    const other = worldOf([quota("q", { "requests.storage": "5Gi" }, { "requests.storage": "0" })], storage);
    await expect(other.admit("persistentvolumeclaims", claim("gold"))).rejects.toMatchObject({ code: 403 });
    const covering = worldOf([quota("q", { [gold]: "1Gi" }, { [gold]: "0" })], storage);
    await covering.admit("persistentvolumeclaims", claim("gold"));
    expect(covering.used()).toEqual({ [gold]: "1Gi" });
  });
  test("an object in a limited scope needs a quota with that scope", async () => {
    const high = pod({ priorityClassName: "high" });
    const plain = worldOf([quota("q", { pods: "5" }, { pods: "0" })], priority);
    await expect(plain.admit("pods", high)).rejects.toThrow(/insufficient quota to match these scopes: PriorityClass/);
    await plain.admit("pods", pod({}, "other"));
    const scoped = quota("q", { pods: "1" }, { pods: "0" }, { scopeSelector: { matchExpressions: [highOnly] } });
    const covering = worldOf([scoped], priority);
    await covering.admit("pods", high);
    expect(covering.used()).toEqual({ pods: "1" });
  });
  test("an update that uses no more needs no quota", async () => {
    const { admit } = worldOf([], storage);
    const old = claim("gold") as ApiObject;
    await admit("persistentvolumeclaims", claim("gold"), { operation: "UPDATE", old });
  });
  test("a resource must be named", () => {
    expect(() => worldOf([], configured({ matchContains: ["x"] }))).toThrow(
      /limitedResources\[0\].resource: must be given/,
    );
  });
  test("the earlier versions of the configuration are accepted", () => {
    for (const version of ["v1beta1", "v1alpha1"]) {
      const apiVersion = `resourcequota.admission.orch.io/${version}`;
      worldOf([], { ResourceQuota: { apiVersion, kind: "Configuration", limitedResources: [{ resource: "pods" }] } });
    }
  });
});

describe("a write that is not stored after all", () => {
  const charged = async () => {
    const made = worldOf([quota("q", { pods: "5" }, { pods: "2" })]);
    const request = made.world.request("pods", { namespace: "a", object: pod() as ApiObject });
    await made.plugin.validate?.(request);
    expect(made.used()).toEqual({ pods: "3" });
    const tell = async (outcome: "stored" | "failed" | "unknown") => {
      for (const callback of request.waiting ?? []) await callback(outcome);
    };
    return { ...made, tell };
  };
  test("is refunded", async () => {
    const { used, tell } = await charged();
    await tell("failed");
    expect(used()).toEqual({ pods: "2" });
  });
  test("is not refunded if the object was stored, or if the outcome is unknown", async () => {
    for (const outcome of ["stored", "unknown"] as const) {
      const { used, tell } = await charged();
      await tell(outcome);
      expect(used()).toEqual({ pods: "3" });
    }
  });
  test("is not refunded to a quota that was written since: the controller may have recounted", async () => {
    const { used, tell, world } = await charged();
    const { kind } = world.request("resourcequotas", {});
    const ref = { namespace: "a", name: "q" };
    const recounted = { hard: { pods: "5" }, used: { pods: "2" } };
    const { context } = world;
    const writer = { user: world.request("pods", {}).user, dryRun: false, fieldManager: "", warn() {} };
    await context.registry.update<ApiObject>(kind, ref, (current) => ({ ...current!, status: recounted }), writer);
    await tell("failed");
    expect(used()).toEqual({ pods: "2" });
  });
});
