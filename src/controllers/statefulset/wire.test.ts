import { expect, test } from "vitest";
import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { statefulSetController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "web" };
const labels = { app: "w" };
const set: StatefulSet = {
  metadata: { ...ref },
  spec: {
    replicas: 2,
    serviceName: "svc",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "img:1" }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
};
const podRef = (ordinal: number) => ({ namespace, name: `web-${ordinal}` });
const makeReady = ({ client }: Scenario, ordinal: number) =>
  client
    .of(Pod)
    .patch(
      podRef(ordinal),
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      { subresource: "status" },
    );

test("pods are created in order with their claims, and updated from the highest ordinal down", () =>
  withControllers([statefulSetController], async (scenario) => {
    const { client, create, until, untilAll } = scenario;
    await create(StatefulSet, set);
    for (const ordinal of [0, 1]) {
      await until(Pod, podRef(ordinal), () => true);
      await makeReady(scenario, ordinal);
    }
    const first = await until(StatefulSet, ref, ({ status }) => status?.readyReplicas === 2);
    const claims = await untilAll(PersistentVolumeClaim, namespace, (all) => all.length === 2);
    expect(claims.map(({ metadata }) => metadata.name).sort()).toEqual(["data-web-0", "data-web-1"]);
    expect(first.status?.currentRevision).toMatch(/^web-[a-z0-9]+$/);

    const containers = [{ name: "c", image: "img:2" }];
    await client.of(StatefulSet).patch(ref, { spec: { template: { spec: { containers } } } });
    const isNew = ({ spec }: Pod) => spec?.containers?.[0]?.image === "img:2";
    for (const ordinal of [1, 0]) {
      await until(Pod, podRef(ordinal), isNew);
      await makeReady(scenario, ordinal);
    }
    const last = await until(
      StatefulSet,
      ref,
      ({ status }) => status?.currentRevision !== first.status?.currentRevision,
    );
    expect(last.status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2, currentReplicas: 2 });
    expect(await untilAll(ControllerRevision, namespace, (all) => all.length === 2)).toHaveLength(2);
  }));

test("names and labels are those of the vocabulary", () =>
  withControllers(
    [statefulSetController],
    async ({ create, until, untilAll }) => {
      await create(StatefulSet, set);
      const pod = await until(Pod, podRef(0), () => true);
      expect(pod.metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("web-0");
      const [revision] = await untilAll(ControllerRevision, namespace, (all) => all.length === 1);
      const hash = revision?.metadata.labels?.["controller.kubernetes.io/hash"];
      expect(revision?.metadata.name).toBe(`web-${hash}`);
      expect(pod.metadata.labels?.["controller-revision-hash"]).toBe(`web-${hash}`);
    },
    { vocabulary: "kubernetes" },
  ));

test("from level 1.28 pods have their ordinal as a label, and the policy of the set decides who owns their claims", () =>
  withControllers(
    [statefulSetController],
    async (scenario) => {
      const { client, create, until, untilGone } = scenario;
      const policy = { whenScaled: "Delete", whenDeleted: "Delete" };
      await create(StatefulSet, {
        ...set,
        spec: { ...set.spec, persistentVolumeClaimRetentionPolicy: policy },
      } as StatefulSet);
      for (const ordinal of [0, 1]) {
        const pod = await until(Pod, podRef(ordinal), () => true);
        expect(pod.metadata.labels?.["apps.orch.io/pod-index"]).toBe(String(ordinal));
        await makeReady(scenario, ordinal);
      }
      const claim = { namespace, name: "data-web-1" };
      const ownersOf = ({ metadata }: PersistentVolumeClaim) =>
        metadata.ownerReferences?.map(({ kind }) => kind).join();
      await until(PersistentVolumeClaim, claim, (known) => ownersOf(known) === "StatefulSet");
      await client.of(Pod).patch(podRef(1), { metadata: { finalizers: ["example.com/kept"] } });
      await client.of(StatefulSet).patch(ref, { spec: { replicas: 1 } });
      await until(PersistentVolumeClaim, claim, (known) => ownersOf(known) === "Pod");
      await client.of(Pod).patch(podRef(1), { metadata: { finalizers: null } });
      await untilGone(Pod, podRef(1));
      // Nobody collects garbage here: the pod of the same name waits for the claim to go.
      await client.of(StatefulSet).patch(ref, { spec: { replicas: 2 } });
      await until(StatefulSet, ref, ({ metadata, status }) => status?.observedGeneration === metadata.generation);
      expect((await client.of(Pod).list({ namespace })).items.map(({ metadata }) => metadata.name)).toEqual(["web-0"]);
      await client.of(PersistentVolumeClaim).delete(claim);
      await client.of(PersistentVolumeClaim).patch(claim, { metadata: { finalizers: null } });
      await until(Pod, podRef(1), () => true);
    },
    { server: { emulatedVersion: "1.35" } },
  ));
