import { describe, expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { replicationControllerController } from "../replicationcontroller/wire.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { replicaSetController } from "./wire.ts";

const namespace = "default";
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "img:1" }] } };
const replicaSet = (replicas: number): ReplicaSet => ({
  metadata: { name: "rs", namespace },
  spec: { replicas, selector: { matchLabels: labels }, template },
});
const makeReady = ({ client }: Scenario, pod: Pod) =>
  client
    .of(Pod)
    .patch(
      { namespace, name: pod.metadata.name ?? "" },
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: null }] } },
      { subresource: "status" },
    );

describe("replicaset", () => {
  test("creates the desired pods, and no more when they become ready", () =>
    withControllers([replicaSetController], async (scenario) => {
      await scenario.create(ReplicaSet, replicaSet(20));
      const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 20);
      for (const pod of pods) await makeReady(scenario, pod);
      const ref = { namespace, name: "rs" };
      const set = await scenario.until(ReplicaSet, ref, ({ status }) => status?.readyReplicas === 20);
      expect(set.status?.replicas).toBe(20);
      expect((await scenario.client.of(Pod).list({ namespace })).items).toHaveLength(20);
      const [pod] = pods;
      expect(pod?.metadata.generateName).toBe("rs-");
      expect(pod && controllerOf(pod)).toEqual({
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "rs",
        uid: set.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      });
    }));

  test("scales down, and records an Event", () =>
    withControllers([replicaSetController], async (scenario) => {
      await scenario.create(ReplicaSet, replicaSet(3));
      await scenario.untilAll(Pod, namespace, (all) => all.length === 3);
      await scenario.client.of(ReplicaSet).patch({ namespace, name: "rs" }, { spec: { replicas: 1 } });
      await scenario.untilAll(Pod, namespace, (all) => all.length === 1);
      const events = await scenario.untilAll(
        Event,
        namespace,
        (all) => all.filter(({ reason }) => reason === "SuccessfulDelete").length === 2,
      );
      expect(events.every(({ source }) => source?.component === "replicaset-controller")).toBe(true);
    }));

  test("at level 1.35 says how many pods are being deleted", () =>
    withControllers(
      [replicaSetController],
      async ({ client, create, until, untilAll }) => {
        const held = { metadata: { labels, finalizers: ["example.com/kept"] }, spec: template.spec };
        const set = replicaSet(2);
        await create(ReplicaSet, { ...set, spec: { ...set.spec, template: held } } as ReplicaSet); // with a finalizer
        await untilAll(Pod, namespace, (all) => all.length === 2);
        const ref = { namespace, name: "rs" };
        await until(ReplicaSet, ref, ({ status }) => status?.replicas === 2 && status.terminatingReplicas === 0);
        await client.of(ReplicaSet).patch(ref, { spec: { replicas: 1 } });
        await until(ReplicaSet, ref, ({ status }) => status?.replicas === 1 && status.terminatingReplicas === 1);
      },
      { server: { emulatedVersion: "1.35" } },
    ));

  test("adopts a matching orphan, and releases and replaces it when it stops matching", () =>
    withControllers([replicaSetController], async (scenario) => {
      const bare = { metadata: { name: "bare", namespace, labels }, spec: template.spec };
      await scenario.create(Pod, bare);
      await scenario.create(ReplicaSet, replicaSet(1));
      const ref = { namespace, name: "bare" };
      await scenario.until(Pod, ref, (pod) => controllerOf(pod)?.name === "rs");
      await scenario.client.of(Pod).patch(ref, { metadata: { labels: { app: "other" } } });
      await scenario.until(Pod, ref, (pod) => controllerOf(pod) === undefined);
      await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
    }));

  test("reports why pods cannot be created, and retries", () =>
    withControllers([replicaSetController], async (scenario) => {
      const { template: pods, ...spec } = replicaSet(1).spec ?? {};
      const refused = { ...pods, spec: { ...template.spec, priorityClassName: "missing" } };
      await scenario.create(ReplicaSet, { ...replicaSet(1), spec: { ...spec, template: refused } });
      const failed = ({ status }: ReplicaSet) => status?.conditions?.[0]?.reason === "FailedCreate";
      await scenario.until(ReplicaSet, { namespace, name: "rs" }, failed);
      await scenario.client
        .of(ReplicaSet)
        .patch({ namespace, name: "rs" }, { spec: { template: { spec: { priorityClassName: null } } } });
      await scenario.untilAll(Pod, namespace, (all) => all.length === 1);
      await scenario.until(ReplicaSet, { namespace, name: "rs" }, ({ status }) => status?.conditions === undefined);
    }));

  test("uses the vocabulary of the server", () =>
    withControllers(
      [replicaSetController],
      async (scenario) => {
        const cost = "controller.kubernetes.io/pod-deletion-cost";
        await scenario.create(ReplicaSet, replicaSet(2));
        const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
        const cheap = pods[1]?.metadata.name ?? "";
        await scenario.client
          .of(Pod)
          .patch({ namespace, name: cheap }, { metadata: { annotations: { [cost]: "-1" } } });
        await scenario.client.of(ReplicaSet).patch({ namespace, name: "rs" }, { spec: { replicas: 1 } });
        const [left] = await scenario.untilAll(Pod, namespace, (all) => all.length === 1);
        expect(left?.metadata.name).toBe(pods[0]?.metadata.name);
      },
      { vocabulary: "kubernetes" },
    ));
});

test("a replication controller is reconciled in the same way", () =>
  withControllers([replicationControllerController], async (scenario) => {
    const metadata = { name: "rc", namespace };
    await scenario.create(ReplicationController, { metadata, spec: { replicas: 2, selector: labels, template } });
    const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
    expect(pods.map((pod) => controllerOf(pod)?.kind)).toEqual(["ReplicationController", "ReplicationController"]);
    await scenario.until(ReplicationController, metadata, ({ status }) => status?.fullyLabeledReplicas === 2);
  }));
