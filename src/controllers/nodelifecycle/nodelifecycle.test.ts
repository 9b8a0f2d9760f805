import { describe, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import type { NodeCondition, Taint } from "../../api/core/v1/node/spec.ts";
import { Node } from "../../api/core/v1/node.ts";
import type { Toleration } from "../../api/core/v1/pod/scheduling.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { orch } from "../../vocabulary/orch.ts";
import { HostedAgents } from "../hosted-agents.ts";
import { withControllers } from "../scenario.suite.ts";
import { secondsOf, stepAfter } from "../ttl/reconcile.ts";
import { ttlController } from "../ttl/wire.ts";
import { leavesAfterMs } from "./eviction.ts";
import { healthAfter, signsOf, silentConditions } from "./health.ts";
import { taintEviction } from "./taint-eviction.ts";
import { executeTaint, scheduleTaintChange, taintsAfter } from "./taints.ts";
import { nodeLifecycle } from "./wire.ts";
import { zonesOf } from "./zones.ts";

const condition = (type: string, status: string, more: Partial<NodeCondition> = {}): NodeCondition => ({
  type,
  status,
  ...more,
});
const nodeWith = (conditions: NodeCondition[], spec: Node["spec"] = {}, labels: Record<string, string> = {}): Node => ({
  metadata: { name: "n", labels, creationTimestamp: "2030-01-01T00:00:00Z" },
  spec,
  status: { conditions },
});
const noSchedule = (key: string): Taint => ({ key, effect: "NoSchedule" });

describe("taints follow conditions", () => {
  const cases: { why: string; node: Node; add: string[]; remove: string[] }[] = [
    { why: "a ready node has none", node: nodeWith([condition("Ready", "True")]), add: [], remove: [] },
    { why: "not ready", node: nodeWith([condition("Ready", "False")]), add: ["node.orch.io/not-ready"], remove: [] },
    { why: "unknown", node: nodeWith([condition("Ready", "Unknown")]), add: ["node.orch.io/unreachable"], remove: [] },
    {
      why: "pressure",
      node: nodeWith([condition("PIDPressure", "True")]),
      add: ["node.orch.io/pid-pressure"],
      remove: [],
    },
    {
      why: "unschedulable",
      node: nodeWith([], { unschedulable: true }),
      add: ["node.orch.io/unschedulable"],
      remove: [],
    },
    {
      why: "outdated taints are removed, those of others stay",
      node: nodeWith([condition("DiskPressure", "False")], {
        taints: [noSchedule("mine"), noSchedule("node.orch.io/disk-pressure")],
      }),
      add: [],
      remove: ["node.orch.io/disk-pressure"],
    },
  ];
  for (const { why, node, add, remove } of cases) {
    test(why, () => {
      const change = scheduleTaintChange(node, orch);
      expect([change?.add.map(({ key }) => key) ?? [], change?.remove.map(({ key }) => key) ?? []]).toEqual([
        add,
        remove,
      ]);
    });
  }

  test("new taints come last, with their time", () => {
    expect(
      taintsAfter([noSchedule("mine"), noSchedule("b")], { add: [noSchedule("a")], remove: [noSchedule("b")] }, "t"),
    ).toEqual([noSchedule("mine"), { ...noSchedule("a"), timeAdded: "t" }]);
  });
  test("an unreachable node gets a NoExecute taint, a ready one does not", () => {
    expect(executeTaint(nodeWith([condition("Ready", "Unknown")]), orch)?.key).toBe("node.orch.io/unreachable");
    expect(executeTaint(nodeWith([condition("Ready", "True")]), orch)).toBeUndefined();
  });
});

describe("a node that stops reporting", () => {
  const grace = { monitorGraceMs: 40_000, startupGraceMs: 60_000 };
  const createdMs = Date.parse("2030-01-01T00:00:00Z");
  const at = (ms: number) => ({ nowMs: createdMs + ms, now: "now" });
  const ready = nodeWith([condition("Ready", "True", { lastHeartbeatTime: "t1" })]);

  test("has the grace period of the monitor, by our own clock, since it was first observed", () => {
    const health = healthAfter(undefined, signsOf(ready), "", createdMs);
    expect(silentConditions(ready, health, grace, at(40_000))).toBeUndefined();
    expect(
      silentConditions(ready, health, grace, at(40_001))?.map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ["Ready", "Unknown", "NodeStatusUnknown"],
      ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
    ]);
  });
  test("has a longer grace period if it never reported", () => {
    const silent = nodeWith([]);
    const health = healthAfter(undefined, signsOf(silent), "", createdMs + 5);
    expect(silentConditions(silent, health, grace, at(60_000))).toBeUndefined();
    expect(silentConditions(silent, health, grace, at(60_001))).toBeDefined();
  });
  test("reports by its status or its lease, and not by our own writes", () => {
    const first = healthAfter(undefined, signsOf(ready), "", createdMs);
    const later = createdMs + 30_000;
    const again = nodeWith([condition("Ready", "True", { lastHeartbeatTime: "t2" })]);
    expect(healthAfter(first, signsOf(again), "", later).heardMs).toBe(later);
    expect(healthAfter(first, signsOf(ready), "r", later).heardMs).toBe(later);
    expect(healthAfter(first, signsOf(ready), "", later).heardMs).toBe(createdMs);
    const ours = nodeWith([condition("Ready", "Unknown", { lastHeartbeatTime: "t1", reason: "NodeStatusUnknown" })]);
    expect(healthAfter(first, signsOf(ours), "", later).heardMs).toBe(createdMs);
  });
});

describe("when a pod is evicted", () => {
  const taints: Taint[] = [{ key: "k", value: "v", effect: "NoExecute" }];
  const cases: { why: string; tolerations: Toleration[]; of?: Taint[]; ms: number | undefined }[] = [
    { why: "at once without a toleration", tolerations: [], ms: 0 },
    { why: "never for other effects", tolerations: [], of: [noSchedule("k")], ms: undefined },
    { why: "never when tolerated", tolerations: [{ key: "k", operator: "Exists" }], ms: undefined },
    { why: "never when all is tolerated", tolerations: [{ operator: "Exists" }], ms: undefined },
    { why: "at once for another value", tolerations: [{ key: "k", value: "w" }], ms: 0 },
    { why: "after its time", tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 3 }], ms: 3_000 },
    {
      why: "at once if the toleration time is over",
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: -1 }],
      ms: 0,
    },
    { why: "at once for another effect", tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }], ms: 0 },
  ];
  for (const { why, tolerations, of = taints, ms } of cases) {
    test(why, () => expect(leavesAfterMs({ metadata: {}, spec: { containers: [], tolerations } }, of)).toBe(ms));
  }
});

test("zones that are down as a whole do not stop others, all together do, and half-down small ones wait", () => {
  const rates = {
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    largeClusterSizeThreshold: 50,
    unhealthyZoneThreshold: 0.55,
  };
  const at = (zone: string, status: string, count = 1) =>
    Array.from({ length: count }, () => nodeWith([condition("Ready", status)], {}, { "topology.orch.io/zone": zone }));
  const rateOf = (nodes: Node[]) =>
    [...zonesOf(nodes, orch, rates).values()].map(({ name, state, rate }) => [name, state, rate]);
  expect(rateOf([...at("a", "Unknown"), ...at("b", "True")])).toEqual([
    [":a", "FullDisruption", 0.1],
    [":b", "Normal", 0.1],
  ]);
  expect(rateOf([...at("a", "Unknown"), ...at("b", "False")]).map(([, , rate]) => rate)).toEqual([0, 0]);
  expect(rateOf([...at("a", "Unknown", 3), ...at("a", "True", 2)])).toEqual([[":a", "PartialDisruption", 0]]);
  expect(rateOf([...at("a", "Unknown", 36), ...at("a", "True", 24)])).toEqual([[":a", "PartialDisruption", 0.01]]);
});

test("the cache time grows in overlapping steps", () => {
  expect(secondsOf(stepAfter(0, 100))).toBe(0);
  expect(secondsOf(stepAfter(0, 101))).toBe(15);
  expect(secondsOf(stepAfter(1, 95))).toBe(15);
  expect(secondsOf(stepAfter(1, 89))).toBe(0);
  expect(secondsOf(stepAfter(0, 20_000))).toBe(600);
});

test("a silent node and its pods become unreachable, its pods are evicted while another node is healthy, and Events record it", () =>
  withControllers(
    [nodeLifecycle, taintEviction, ttlController],
    async ({ client, create, until, untilGone, untilAll }) => {
      const reported = { conditions: [condition("Ready", "True", { lastHeartbeatTime: "2030-01-01T00:00:00Z" })] };
      await create(Node, { metadata: { name: "silent" }, status: reported });
      const pod = (name: string, tolerations: Toleration[]): Pod => ({
        metadata: { namespace: "default", name },
        spec: {
          nodeName: "silent",
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "c", image: "i" }],
          tolerations,
        },
      });
      await create(Pod, pod("stays", [{ operator: "Exists" }]));
      await create(
        Pod,
        pod("goes", [
          { key: "node.orch.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 },
        ]),
      );
      const ready = [{ type: "Ready", status: "True" }];
      await client
        .of(Pod)
        .patch({ namespace: "default", name: "stays" }, { status: { conditions: ready } }, { subresource: "status" });
      await until(Node, { name: "silent" }, ({ metadata }) => metadata.annotations?.["node.alpha.orch.io/ttl"] === "0");
      await until(Node, { name: "silent" }, ({ status }) => status?.conditions?.[0]?.status === "Unknown");
      await until(
        Pod,
        { namespace: "default", name: "stays" },
        ({ status }) => status?.conditions?.[0]?.status === "False",
      );
      await create(Node, { metadata: { name: "healthy" }, status: reported });
      let beat = 0;
      const heart = setInterval(() => {
        const conditions = [
          condition("Ready", "True", { lastHeartbeatTime: `2030-01-01T00:${10 + (++beat % 50)}:00Z` }),
        ];
        void client
          .of(Node)
          .patch({ name: "healthy" }, { status: { conditions } }, { subresource: "status" })
          .catch(() => {});
      }, 20);
      try {
        await until(
          Node,
          { name: "silent" },
          ({ spec }) => spec?.taints?.some(({ effect }) => effect === "NoExecute") ?? false,
        );
        await untilGone(Pod, { namespace: "default", name: "goes" });
        const has = (events: readonly Event[], reason: string) => events.some((event) => event.reason === reason);
        await untilAll(
          Event,
          "default",
          (events) => has(events, "RegisteredNode") && has(events, "TaintManagerEviction"),
        );
      } finally {
        clearInterval(heart);
      }
    },
    { settings: { nodeMonitorPeriodMs: 30, nodeMonitorGracePeriodMs: 1_000 } },
  ));

test("a wall clock that is set an hour forward or back makes no node silent", () => {
  let setMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + setMs };
  const hasRegistered = (name: string) => (events: readonly Event[]) =>
    events.some(({ reason, involvedObject }) => reason === "RegisteredNode" && involvedObject.name === name);
  return withControllers(
    [nodeLifecycle, taintEviction],
    async ({ client, create, untilAll }) => {
      const status = { conditions: [condition("Ready", "True")] };
      await create(Node, { metadata: { name: "node0" }, status });
      await untilAll(Event, "default", hasRegistered("node0"));
      for (const [index, hours] of [1, -1, 24 * 3_650, 0].entries()) {
        setMs = hours * 3_600_000;
        // A new node is registered by a round after the clock was set, and the next one by a later round.
        for (const name of [`node${index}-a`, `node${index}-b`]) {
          await create(Node, { metadata: { name }, status });
          await untilAll(Event, "default", hasRegistered(name));
        }
        const { items } = await client.of(Node).list();
        expect(items.filter((node) => node.status?.conditions?.[0]?.status !== "True")).toEqual([]);
      }
    },
    { clock, settings: { nodeMonitorPeriodMs: 30, nodeMonitorGracePeriodMs: 600_000 } },
  );
});

test.each(["1.29", "1.35", "1.37"] as const)(
  "at level %s taint-eviction deletes pods by taints, and they say that they are disrupted",
  (emulatedVersion) =>
    withControllers(
      [nodeLifecycle, taintEviction],
      async ({ create, until }) => {
        await create(Node, { metadata: { name: "n" }, spec: { taints: [{ key: "off", effect: "NoExecute" }] } });
        const metadata = { namespace: "default", name: "p", finalizers: ["example.com/kept"] };
        await create(Pod, { metadata, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } });
        const { status } = await until(Pod, metadata, (pod) => pod.metadata.deletionTimestamp !== undefined);
        expect(status?.conditions).toMatchObject([{ type: "DisruptionTarget", reason: "DeletionByTaintManager" }]);
      },
      { server: { emulatedVersion } },
    ),
);

test("a node is waiting as long as the agent of its process says so", () => {
  const agents = new HostedAgents();
  expect(agents.isWaiting("node-0")).toBe(false);
  agents.add((name) => name === "node-0");
  expect([agents.isWaiting("node-0"), agents.isWaiting("node-1")]).toEqual([true, false]);
});
