/** What a decision of the scheduler costs, in this process and without a server: many pods on many nodes, with and without affinity and spread. */

import type { PodSpec } from "../../src/api/core/v1/pod/spec.ts";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { Cluster } from "../../src/scheduler/cluster.ts";
import { filtersOf } from "../../src/scheduler/filters/list.ts";
import { type KnownPod, knownPod } from "../../src/scheduler/known-pod.ts";
import { type ScheduleDecision, schedule } from "../../src/scheduler/schedule.ts";
import { orch } from "../../src/vocabulary/orch.ts";
import type { Row } from "../report.ts";

const podsOfDeployment = 200;
const [namespaces, zones] = [50, 10];
/** In milliseconds of CPU for each pod. */
const [plainBudget, termsBudget] = [1, 1];

export async function measureScheduler(quick: boolean): Promise<Row[]> {
  const [nodes, pods] = quick ? [5_000, 5_000] : [5_000, 100_000];
  return [
    measure("without terms", nodes, pods, () => ({}), plainBudget),
    measure("spread over zones, no two of a Deployment on a node", nodes, pods, spreadAndApart, termsBudget),
  ];
}

type Terms = Pick<PodSpec, "affinity" | "topologySpreadConstraints">;

function spreadAndApart(app: string): Partial<Terms> {
  const labelSelector = { matchLabels: { app } };
  const apart = [{ labelSelector, topologyKey: "host" }];
  const terms = {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
  };
  return terms as Partial<Terms>; // without what defaults fill in
}

function measure(
  what: string,
  nodes: number,
  pods: number,
  termsOf: (app: string) => Partial<Terms>,
  budget: number,
): Row {
  const cluster = clusterOf(nodes);
  const chance = seededRandom(1);
  const options = {
    filters: filtersOf(orch, true),
    facts: { volumes: [] },
    random: (below: number) => Math.floor(chance() * below),
    isProtected: () => false,
  };
  let startAt = 0;
  const decideFrom = (from: number, to: number) => {
    const before = process.cpuUsage();
    for (let at = from; at < to; at++) {
      const wanted = podAt(at, termsOf);
      const decision = decisionOf(schedule(wanted, cluster, { ...options, startAt }));
      if (decision.at !== "found") throw new Error(decision.message);
      startAt += decision.checked;
      cluster.setPod(wanted, decision.node);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / (to - from);
  };
  const half = pods / 2;
  const [first, second] = [decideFrom(0, half), decideFrom(half, pods)];
  const mean = (first + second) / 2;
  return {
    what: `schedule ${pods.toLocaleString("en")} pods on ${nodes.toLocaleString("en")} nodes: ${what}`,
    measured: `${mean.toFixed(2)} ms CPU each`,
    beside: `${second.toFixed(2)} ms in the second half, ${first.toFixed(2)} in the first`,
    ratio: second / first,
    budget: `< ${budget} ms`,
    met: mean < budget,
  };
}

function decisionOf(steps: Generator<number, ScheduleDecision>): ScheduleDecision {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function clusterOf(nodes: number): Cluster {
  const cluster = new Cluster();
  for (let at = 0; at < nodes; at++)
    cluster.setNode({
      metadata: { name: `node-${at}`, labels: { host: `node-${at}`, zone: `zone-${at % zones}` } },
      spec: {},
      status: { allocatable: { cpu: "8", memory: "64Gi", pods: "110" } },
    });
  return cluster;
}

function podAt(at: number, termsOf: (app: string) => Partial<Terms>): KnownPod {
  const deployment = Math.floor(at / podsOfDeployment);
  const app = `app-${deployment}`;
  const container = { name: "main", image: "i", resources: { requests: { cpu: "100m", memory: "64Mi" } } };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: app, controller: true };
  return knownPod({
    metadata: {
      name: `pod-${at}`,
      namespace: `space-${deployment % namespaces}`,
      uid: `uid-${at}`,
      labels: { app },
      ownerReferences: [owner],
    },
    spec: { containers: [container], ...termsOf(app) } as PodSpec,
  });
}
