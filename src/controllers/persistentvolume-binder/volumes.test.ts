import { describe, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { ephemeralVolume } from "../ephemeral-volume/wire.ts";
import { protectedFinalizers } from "../parts/protection/protection.ts";
import { pvProtection } from "../pv-protection/wire.ts";
import { pvcProtection } from "../pvc-protection/wire.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { bestMatch } from "./match.ts";
import { persistentVolumeBinder } from "./wire.ts";

type VolumeSpec = NonNullable<PersistentVolume["spec"]>;
const volume = (name: string, storage: string, more: Partial<VolumeSpec> = {}): PersistentVolume => ({
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "gold",
    nfs: { server: "nfs.example.com", path: "/x" },
    ...more,
  },
});
const free = (name: string, storage: string, more: Partial<VolumeSpec> = {}): PersistentVolume => ({
  ...volume(name, storage, more),
  status: { phase: "Available" },
});
const claim = (more: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {}): PersistentVolumeClaim => ({
  metadata: { namespace: "default", name: "c" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "2Gi" } },
    storageClassName: "gold",
    ...more,
  },
});

describe("the volume for a claim", () => {
  const kept = { claimRef: { namespace: "default", name: "c" } };
  const cases: {
    why: string;
    of?: PersistentVolumeClaim;
    among: PersistentVolume[];
    onlyKept?: boolean;
    is: string | undefined;
  }[] = [
    {
      why: "is the smallest that is large enough",
      among: [free("s", "1Gi"), free("l", "9Gi"), free("m", "3Gi")],
      is: "m",
    },
    {
      why: "is preferably one with few access modes",
      among: [free("m", "2Gi", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }), free("l", "9Gi")],
      is: "l",
    },
    { why: "is the one that is reserved for it", among: [free("m", "2Gi"), free("k", "9Gi", kept)], is: "k" },
    {
      why: "is not one that is reserved for another claim",
      among: [free("k", "9Gi", { claimRef: { namespace: "default", name: "d" } })],
      is: undefined,
    },
    { why: "must have its class", among: [free("m", "3Gi", { storageClassName: "tin" })], is: undefined },
    {
      why: "must have its access modes",
      of: claim({ accessModes: ["ReadWriteMany"] }),
      among: [free("m", "3Gi")],
      is: undefined,
    },
    { why: "must have its volume mode", of: claim({ volumeMode: "Block" }), among: [free("m", "3Gi")], is: undefined },
    { why: "must be free", among: [volume("m", "3Gi")], is: undefined },
    {
      why: "must match its selector",
      of: claim({ selector: { matchLabels: { a: "b" } } }),
      among: [free("m", "3Gi")],
      is: undefined,
    },
    { why: "waits for a consumer", among: [free("m", "3Gi")], onlyKept: true, is: undefined },
  ];
  for (const { why, of = claim(), among, onlyKept = false, is } of cases) {
    test(why, () => expect(bestMatch(of, among, plainEnvironment(), { onlyKept })?.metadata.name).toBe(is));
  }
});

test("a finalizer protects objects in use, and is added again when it is removed", () => {
  const gone = { metadata: { deletionTimestamp: "t", finalizers: ["p", "q"] } };
  expect(protectedFinalizers({ metadata: {} }, "p", () => false)).toEqual(["p"]);
  expect(protectedFinalizers(gone, "p", () => true)).toBeUndefined();
  expect(protectedFinalizers(gone, "p", () => false)).toEqual(["q"]);
});

const at = { namespace: "default", name: "c" };
const run = (use: (scenario: Scenario) => Promise<void>, server: { readonly emulatedVersion?: "1.35" } = {}) =>
  withControllers([persistentVolumeBinder, pvProtection, pvcProtection, ephemeralVolume], use, { server });

test("a claim is bound, its volume is released with it, and a claim without its volume is lost", () =>
  run(async ({ client, create, until, untilGone }) => {
    await create(PersistentVolumeClaim, claim());
    await create(PersistentVolume, volume("v", "5Gi"));
    const bound = await until(PersistentVolumeClaim, at, ({ status }) => status?.phase === "Bound");
    expect([bound.spec?.volumeName, bound.status?.capacity]).toEqual(["v", { storage: "5Gi" }]);
    expect(bound.metadata.annotations).toEqual({
      "pv.orch.io/bind-completed": "yes",
      "pv.orch.io/bound-by-controller": "yes",
    });
    const held = await until(PersistentVolume, { name: "v" }, ({ status }) => status?.phase === "Bound");
    expect(held.spec?.claimRef?.uid).toBe(bound.metadata.uid);
    await client.of(PersistentVolume).delete({ name: "v" });
    await client.of(PersistentVolumeClaim).delete(at);
    await untilGone(PersistentVolumeClaim, at);
    await untilGone(PersistentVolume, { name: "v" });

    await create(PersistentVolume, volume("w", "5Gi"));
    await create(PersistentVolumeClaim, claim({ volumeName: "w" }));
    await until(PersistentVolumeClaim, at, ({ status }) => status?.phase === "Bound");
    await client.of(PersistentVolume).delete({ name: "w" });
    await client.of(PersistentVolume).patch({ name: "w" }, { metadata: { finalizers: null } });
    await until(PersistentVolumeClaim, at, ({ status }) => status?.phase === "Lost");
  }));

test("two claims never get the same volume", () =>
  run(async ({ create, untilAll }) => {
    await create(PersistentVolume, volume("v", "5Gi"));
    await create(PersistentVolume, volume("w", "6Gi"));
    for (const name of ["a", "b", "c"])
      await create(PersistentVolumeClaim, { ...claim(), metadata: { namespace: "default", name } });
    const isBound = ({ status }: PersistentVolumeClaim) => status?.phase === "Bound";
    const claims = await untilAll(PersistentVolumeClaim, "default", (all) => all.filter(isBound).length === 2);
    expect(
      claims
        .filter(isBound)
        .map(({ spec }) => spec?.volumeName)
        .sort(),
    ).toEqual(["v", "w"]);
  }));

test("since 1.26 a claim without a class gets the default class that is chosen after it", () =>
  run(
    async ({ create, client, until }) => {
      const unclassed = (name: string, more: Parameters<typeof claim>[0] = {}) => {
        const { storageClassName: _, ...spec } = claim().spec ?? {};
        return { metadata: { namespace: "default", name }, spec: { ...spec, ...more } };
      };
      await create(PersistentVolumeClaim, unclassed("late"));
      await create(PersistentVolumeClaim, unclassed("none", { storageClassName: "" }));
      await create(StorageClass, { metadata: { name: "fast" }, provisioner: "example.com/prov" });
      const annotations = { "storageclass.orch.io/is-default-class": "true" };
      await client.of(StorageClass).patch({ name: "fast" }, { metadata: { annotations } });
      const hasClass = ({ spec }: PersistentVolumeClaim) => spec?.storageClassName === "fast";
      await until(PersistentVolumeClaim, { namespace: "default", name: "late" }, hasClass);
      const none = await client.of(PersistentVolumeClaim).get({ namespace: "default", name: "none" });
      expect(none.spec?.storageClassName, "the empty name asks for a volume without a class").toBe("");
    },
    { emulatedVersion: "1.35" },
  ));

test("a class's provisioner and parameters are never called: an event names what the claim waits for (C07 in docs/security-rows.md)", () =>
  run(async ({ create, until, untilAll }) => {
    const parameters = { resturl: "http://127.0.0.1:1/" };
    await create(StorageClass, { metadata: { name: "far" }, provisioner: "example.com/prov", parameters });
    await create(StorageClass, { metadata: { name: "near" }, provisioner: "orch.io/glusterfs", parameters });
    await create(PersistentVolumeClaim, {
      ...claim({ storageClassName: "far" }),
      metadata: { namespace: "default", name: "far" },
    });
    await create(PersistentVolumeClaim, {
      ...claim({ storageClassName: "near" }),
      metadata: { namespace: "default", name: "near" },
    });
    const annotation = "volume.beta.orch.io/storage-provisioner";
    const isAnnotated = ({ metadata }: PersistentVolumeClaim) =>
      metadata.annotations?.[annotation] === "example.com/prov";
    await until(PersistentVolumeClaim, { namespace: "default", name: "far" }, isAnnotated);
    const reasons = (events: readonly Event[]) => events.map(({ reason }) => reason);
    await untilAll(
      Event,
      "default",
      (events) => reasons(events).includes("ExternalProvisioning") && reasons(events).includes("ProvisioningFailed"),
    );
  }));

test("a pod's own volume gets a claim that the pod owns", () =>
  run(async ({ create, until }) => {
    const { spec } = claim();
    if (spec === undefined) throw new Error("the claim has a spec");
    const pod = await create(Pod, {
      metadata: { namespace: "default", name: "p" },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { metadata: { labels: { l: "v" } }, spec } } }],
      },
    });
    const made = await until(PersistentVolumeClaim, { namespace: "default", name: "p-scratch" }, () => true);
    expect(made.metadata.labels).toEqual({ l: "v" });
    expect(made.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Pod", uid: pod.metadata.uid, controller: true });
  }));

test("a claim of another owner with the name of a pod's claim is not used, and the pod's claim is created when it is gone", () =>
  run(async ({ client, create, until, untilAll }) => {
    const name = "p-scratch";
    const foreign = await create(PersistentVolumeClaim, { ...claim(), metadata: { namespace: "default", name } });
    await create(Pod, {
      metadata: { namespace: "default", name: "p" },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim().spec ?? {} } } }],
      },
    });
    const told = await untilAll(Event, "default", (events) => events.some(({ reason }) => reason === "FailedBinding"));
    expect(told.find(({ reason }) => reason === "FailedBinding")).toMatchObject({ type: "Warning" });
    await client.of(PersistentVolumeClaim).delete({ namespace: "default", name });
    const isOwned = ({ metadata }: PersistentVolumeClaim) => metadata.ownerReferences?.[0]?.kind === "Pod";
    const made = await until(PersistentVolumeClaim, { namespace: "default", name }, isOwned);
    expect(made.metadata.uid).not.toBe(foreign.metadata.uid);
  }));
