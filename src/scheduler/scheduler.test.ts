import { expect, test } from "vitest";
import type { Node } from "../api/core/v1/node.ts";
import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import type { PodStatus } from "../api/core/v1/pod/status.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { createManualClock } from "../base/clock.ts";
import type { Plan } from "../controllers/plan.ts";
import { orch } from "../vocabulary/orch.ts";
import { comparisonsMax } from "./run-decision.ts";
import { Scheduler } from "./scheduler.ts";

const key = "ns/p";
const node = (cpu: string, labels: Record<string, string> = {}): Node => ({
  metadata: { name: "n", labels },
  status: { allocatable: { cpu, memory: "8Gi", pods: "110" } },
});
const podOf = (name: string, cpu: string, more: object = {}): Pod => ({
  metadata: { name, namespace: "ns", uid: name, generation: 1 },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }], ...more } as PodSpec,
});

/** A scheduler that is told of what it writes, as a server would show it. */
function open(tellsGeneration = false, marksVictims = tellsGeneration) {
  const clock = createManualClock(Date.parse("2026-01-01T00:00:00Z"));
  const storage = { claim: () => undefined, volume: () => undefined, storageClass: () => undefined };
  const one = new Scheduler({
    vocabulary: orch,
    clock,
    random: () => 0,
    storage,
    isProtected: () => false,
    tellsGeneration,
    marksVictims,
    readsFeatures: true,
  });
  let pod: Pod | undefined;
  const see = (next: Pod) => {
    pod = next;
    return one.see(next);
  };
  return {
    one,
    clock,
    see,
    /** The pod is tried again; what is written of its status, if anything is. */
    retry(): { plan: Plan; status: PodStatus | undefined } {
      one.wake(() => {});
      const plan = (one.next(key) ?? {}) as Plan; // these decisions are short
      const status = statusIn(plan);
      if (pod !== undefined && status !== undefined) see({ ...pod, status: { ...pod.status, ...status } });
      return { plan, status };
    },
  };
}

/** What a patch of the status sets. */
function statusIn({ status }: Plan): PodStatus | undefined {
  return status?.call.verb === "patch" ? (status.call.patch as { status: PodStatus }).status : undefined; // as plans.ts writes it
}

test("a pod that finds no node says so once, however often it is tried", () => {
  const { one, clock, see, retry } = open();
  one.seeNode(node("1"));
  see(podOf("p", "2"));
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const message = "0/1 nodes are available: 1 Insufficient cpu.";
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime };
  expect(retry().status).toEqual({ conditions: [condition] });
  clock.advance(60_000);
  expect(retry().status).toBeUndefined();
  one.seeNode({ ...node("1"), spec: { unschedulable: true } });
  const other = "0/1 nodes are available: 1 node(s) were unschedulable.";
  expect(retry().status).toEqual({ conditions: [{ ...condition, message: other }] });
  expect(retry().status).toBeUndefined();
});

test("a pod whose victims still stop neither deletes them again nor says again where it will run", () => {
  const { one, see, retry } = open();
  one.seeNode(node("2"));
  const low = { ...podOf("low", "2", { nodeName: "n", priority: 1 }) };
  one.see(low);
  see(podOf("p", "2", { priority: 9 }));
  const { plan, status } = retry();
  expect(plan.writes).toHaveLength(1);
  expect(status).toMatchObject({ nominatedNodeName: "n" });
  one.see({ ...low, metadata: { ...low.metadata, deletionTimestamp: "2026-01-01T00:00:30Z" } });
  const again = retry();
  expect([again.plan.writes, again.status]).toEqual([[], undefined]);
});

test("since 1.26 a pod that goes for another one says so before it is deleted", () => {
  const { one, see, retry } = open(true);
  one.seeNode(node("2"));
  one.see(podOf("low", "2", { nodeName: "n", priority: 1 }));
  see(podOf("p", "2", { priority: 9, schedulerName: "default-scheduler" }));
  const condition = {
    ...{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", observedGeneration: 1 },
    ...{ message: "default-scheduler: preempting to accommodate a higher priority pod" },
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  expect(retry().plan.writes?.map(({ call }) => call)).toMatchObject([
    { verb: "patch", ref: { name: "low" }, patch: { metadata: { uid: "low" }, status: { conditions: [condition] } } },
    { verb: "delete", ref: { name: "low" } },
  ]);
});

test("a pod whose labels change is tried again at once", () => {
  const { one, see, retry } = open();
  one.seeNode(node("1"));
  see(podOf("p", "2"));
  retry();
  const changed = podOf("p", "2");
  expect(see({ ...changed, metadata: { ...changed.metadata, labels: { app: "x" } } })).toBe("pending");
});

test("where conditions have one, the generation that the decision was about is in the condition", () => {
  const { one, see, retry } = open(true);
  one.seeNode(node("1"));
  see(podOf("p", "2"));
  expect(retry().status).toMatchObject({ conditions: [{ observedGeneration: 1 }] });
  expect(retry().status).toBeUndefined();
});

test("a pod with more terms than may be compared is told so, and not tried again for five minutes", async () => {
  const { one, see } = open();
  one.seeNode(node("8", { host: "n" }));
  const count = 100;
  const labels = { app: "x" };
  for (let at = 0; at < count; at++) {
    const other = podOf(`other-${at}`, "1m", { nodeName: "n" });
    one.see({ ...other, metadata: { ...other.metadata, labels: { ...labels, name: `${at}` } } });
  }
  const labelSelector = { matchLabels: labels };
  const term = { labelSelector, topologyKey: "host" };
  const terms = Array.from({ length: comparisonsMax / count + 1 }, () => term);
  see(podOf("p", "1m", { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } }));
  const plan = await one.next(key);
  const message = `0/1 nodes are available: the affinity of the pod takes more than ${comparisonsMax} comparisons with the pods and nodes of the cluster; give it fewer terms.`;
  expect(plan?.events).toEqual([{ type: "Warning", reason: "FailedScheduling", message }]);
  const delays: number[] = [];
  one.wake((_key, delayMs) => delays.push(delayMs));
  expect(delays).toEqual([300_000]);
});
