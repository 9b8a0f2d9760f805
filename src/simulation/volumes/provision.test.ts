import { describe, expect, test } from "vitest";
import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Controller } from "../../controllers/contract.ts";
import { withControllers } from "../../controllers/scenario.suite.ts";
import { goldenLevels } from "../../machinery/schema/levels.ts";
import { container, openSimulated, phaseText, type Simulated } from "../simulated-server.suite.ts";
import { provisionVolumes } from "./provision.ts";
import { provisioner } from "./volumes.ts";

const claimsPath = "/api/v1/namespaces/default/persistentvolumeclaims";
const classesPath = "/apis/storage.orch.io/v1/storageclasses";
const claimSpec = (more: object = {}) => ({
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "3Gi" } },
  ...more,
});
const volumesOf = async ({ send }: Simulated) =>
  (await send<{ items: PersistentVolume[] }>("GET", "/api/v1/persistentvolumes")).items;
const claimOf = ({ send }: Simulated, name: string) => send<PersistentVolumeClaim>("GET", `${claimsPath}/${name}`);

describe.each(goldenLevels)("with simulated nodes of level %s", (emulatedVersion) => {
  test("claims are bound to volumes of a default class, which go with them", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1 });
    const { send, advance } = simulated;
    await send("POST", claimsPath, { metadata: { name: "data" }, spec: claimSpec() });
    await advance("5s");
    expect(await claimOf(simulated, "data")).toMatchObject({
      spec: { storageClassName: "standard" },
      status: { phase: "Bound", capacity: { storage: "3Gi" }, accessModes: ["ReadWriteOnce"] },
    });
    expect(await volumesOf(simulated)).toMatchObject([
      { spec: { persistentVolumeReclaimPolicy: "Delete", claimRef: { name: "data" } }, status: { phase: "Bound" } },
    ]);
    await send("DELETE", `${claimsPath}/data`);
    await advance("30s");
    expect(await volumesOf(simulated)).toEqual([]);
  });

  test("a StatefulSet with claims runs", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 2, controllers: ["statefulset"] });
    const labels = { app: "db" };
    await simulated.send("POST", "/apis/apps/v1/namespaces/default/statefulsets", {
      metadata: { name: "db" },
      spec: {
        serviceName: "db",
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] }] },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec() }],
      },
    });
    await simulated.advance("30s");
    expect((await simulated.pods()).map(phaseText)).toEqual(["Running*", "Running*"]);
  });

  test("a class that waits for a pod gets its volume when the pod has a node", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1 });
    const { send, advance, createPod, pod } = simulated;
    await send("POST", classesPath, {
      metadata: { name: "late" },
      provisioner,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    await send("POST", claimsPath, { metadata: { name: "data" }, spec: claimSpec({ storageClassName: "late" }) });
    await advance("5s");
    expect((await claimOf(simulated, "data")).status?.phase).toBe("Pending");
    await createPod("p", { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] } });
    await advance("30s");
    expect([(await claimOf(simulated, "data")).status?.phase, phaseText(await pod("p"))]).toEqual([
      "Bound",
      "Running*",
    ]);
  });
});

test("a default class of somebody else stays the only one", async () => {
  let provision = () => {};
  const later: Controller = {
    name: "later",
    start(context) {
      provision = () => provisionVolumes(context);
      return undefined;
    },
  };
  await withControllers([later], async ({ create, client, untilAll }) => {
    const annotations = { "storageclass.orch.io/is-default-class": "true" };
    await create(StorageClass, { metadata: { name: "own", annotations }, provisioner: "example.com/disks" });
    await create(StorageClass, { metadata: { name: "ours" }, provisioner });
    provision();
    const spec = claimSpec({ storageClassName: "ours" }) as PersistentVolumeClaim["spec"];
    await create(PersistentVolumeClaim, {
      metadata: { name: "c", namespace: "default" },
      spec,
    } as PersistentVolumeClaim);
    await untilAll(PersistentVolume, "", (volumes) => volumes.length === 1);
    const { items } = await client.of(StorageClass).list({});
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["ours", "own"]);
  });
});
