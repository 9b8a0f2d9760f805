import { describe, expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Job } from "../api/batch/v1/job.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { Service } from "../api/core/v1/service.ts";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { createFeatureGates } from "../api/feature-gates.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { createEnvironment } from "../main/environment.ts";
import { orch } from "../vocabulary/orch.ts";
import { chooseControllers } from "./choose.ts";
import { templateOf } from "./deployment/deployment.suite.ts";
import { withFaults } from "./faults.suite.ts";
import { controllers } from "./list.ts";
import { isJobFinished } from "./parts/jobs/finished.ts";
import { controllerOf } from "./parts/ownership/controller-ref.ts";
import { isPodReady } from "./parts/pods/state.ts";
import { runControllers } from "./run.ts";
import { type Scenario, withControllers } from "./scenario.suite.ts";
import { defaultSettings } from "./settings.ts";

const namespace = "default";
const labelled = (app: string) => {
  const template = templateOf("img:1");
  return { ...template, metadata: { labels: { app } } };
};
const metadata = (name: string) => ({ name, namespace });

/** As nodes would: pods get an address and become ready, and those of jobs succeed. Returns what stops it. */
function startNodes({ client }: Scenario): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const bring = async (pod: Pod, ip: string) => {
    const status =
      controllerOf(pod)?.kind === "Job"
        ? { phase: "Succeeded" }
        : { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions: [{ type: "Ready", status: "True" }] };
    const { name = "" } = pod.metadata;
    await client
      .of(Pod)
      .patch({ namespace, name }, { status }, { subresource: "status" })
      .catch(() => undefined);
  };
  const running = (async () => {
    let count = 0;
    for await (const { type, object } of client.of(Pod).watch({ namespace, signal })) {
      if (type === "ADDED") await bring(object, `10.1.${count >> 8}.${count++ & 255}`);
    }
  })();
  return async () => {
    abort.abort();
    await running;
  };
}

async function live(scenario: Scenario): Promise<Record<string, unknown>> {
  const { client, create, until, untilAll } = scenario;
  await create(Service, { metadata: metadata("svc"), spec: { selector: { app: "d" }, ports: [{ port: 80 }] } });
  const selector = (app: string) => ({ matchLabels: { app } });
  await create(Deployment, {
    metadata: metadata("d"),
    spec: { replicas: 6, selector: selector("d"), template: labelled("d") },
  });
  const stateful = { replicas: 3, serviceName: "s", selector: selector("s"), template: labelled("s") };
  await create(StatefulSet, { metadata: metadata("s"), spec: stateful });
  const jobTemplate = { spec: { ...templateOf("i").spec, restartPolicy: "Never" } };
  await create(Job, { metadata: metadata("job"), spec: { completions: 5, parallelism: 3, template: jobTemplate } });

  await until(Deployment, metadata("d"), ({ status }) => status?.availableReplicas === 6);
  const containers = [{ name: "c", image: "img:2" }];
  await client.of(Deployment).patch(metadata("d"), { spec: { replicas: 7, template: { spec: { containers } } } });
  await until(Deployment, metadata("d"), ({ status }) => status?.updatedReplicas === 7 && status.replicas === 7);
  await until(StatefulSet, metadata("s"), ({ status }) => status?.readyReplicas === 3);
  const job = await until(Job, metadata("job"), isJobFinished);
  const pods = await untilAll(Pod, namespace, (all) => all.filter(isPodReady).length === 10);
  const sets = await untilAll(ReplicaSet, namespace, (all) => all.length === 2);
  const addresses = (all: readonly EndpointSlice[]) => all.flatMap(({ endpoints }) => endpoints ?? []);
  const slices = await untilAll(EndpointSlice, namespace, (all) => addresses(all).length === 7);
  const owners = pods.map((pod) => controllerOf(pod)?.kind ?? "none").sort();
  return {
    pods: Object.fromEntries([...new Set(owners)].map((kind) => [kind, owners.filter((each) => each === kind).length])),
    sizes: sets.map(({ spec }) => spec?.replicas).sort(),
    succeeded: job.status?.succeeded,
    slices: slices.length,
    names: pods
      .map(({ metadata: meta }) => meta.name ?? "")
      .filter((name) => name.startsWith("s-"))
      .sort(),
  };
}

const workloadControllers = chooseControllers(controllers, [
  "replicaset",
  "replicationcontroller",
  "deployment",
  "statefulset",
  "daemonset",
  "job",
  "cronjob",
  "ttl-after-finished",
  "disruption",
  "podgc",
  "endpoint",
  "endpointslice",
  "endpointslicemirroring",
  "horizontalpodautoscaling",
]);

const expected = {
  pods: { Job: 5, ReplicaSet: 7, StatefulSet: 3 },
  sizes: [0, 7],
  succeeded: 5,
  slices: 1,
  names: ["s-0", "s-1", "s-2"],
};

describe("workloads together", () => {
  for (const percent of [0, 10]) {
    test(`reach the same state when ${percent} of a hundred requests fail`, () => {
      const random = seededRandom(percent);
      return withControllers(
        workloadControllers,
        async (scenario) => {
          const stopNodes = startNodes(scenario);
          try {
            expect(await live(scenario)).toEqual(expected);
          } finally {
            await stopNodes();
          }
        },
        { controllerFetch: (fetch) => withFaults(fetch, { random, percent }) },
      );
    });
  }
});

test("a controller that is restarted in the middle creates no pod twice and misses none", () =>
  withControllers([], async ({ client, create, untilAll }) => {
    const start = () =>
      runControllers({
        controllers: workloadControllers,
        client,
        clientOf: () => client,
        settings: defaultSettings,
        environment: createEnvironment({
          vocabulary: orch,
          gates: createFeatureGates(new Map()),
          clock: systemClock,
          allowPrivileged: true,
        }),
        clock: systemClock,
        log: silentLog,
        random: (below) => Math.floor(Math.random() * below),
      });
    const names = async () => (await client.of(Pod).list({ namespace })).items.map(({ metadata: { name } }) => name);
    const first = start();
    const spec = { replicas: 40, selector: { matchLabels: { app: "d" } }, template: labelled("d") };
    await create(Deployment, { metadata: metadata("d"), spec });
    await untilAll(Pod, namespace, (all) => all.length >= 3);
    await first.close();
    const before = await names();
    const second = start();
    try {
      await untilAll(Pod, namespace, (all) => all.length === 40);
      await untilAll(ReplicaSet, namespace, ([set]) => set?.status?.replicas === 40);
      const after = await names();
      expect(after).toHaveLength(40);
      expect(after).toEqual(expect.arrayContaining(before));
    } finally {
      await second.close();
    }
  }));
