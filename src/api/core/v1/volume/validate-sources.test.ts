import { describe, expect, test } from "vitest";
import { judge } from "../core.suite.ts";
import { PersistentVolume } from "../persistent-volume.ts";
import { check, pod, problems, short } from "../pod.suite.ts";

const iqn = "iqn.2016-04.com.example:storage";
const azure = { diskName: "d", diskURI: "https://a.example.com/d" };

/** Of volumes of pods and of persistent volumes alike; `expected` without the path of the volume. */
const shared = [
  {
    why: "a disk has a name and a partition",
    source: { gcePersistentDisk: { pdName: "", partition: 256 } },
    expected: ["Invalid persistentDisk.partition", "Required persistentDisk.pdName"],
  },
  {
    why: "a disk has an id",
    source: { awsElasticBlockStore: { volumeID: "", partition: -1 } },
    expected: ["Invalid awsElasticBlockStore.partition", "Required awsElasticBlockStore.volumeID"],
  },
  {
    why: "a path of a server is absolute, also when there is none",
    source: { nfs: { server: "s", path: "" } },
    expected: ["Invalid nfs.path", "Required nfs.path"],
  },
  {
    why: "a target has a portal and a name",
    source: { iscsi: { targetPortal: "", iqn: "", lun: 256 } },
    expected: ["Invalid iscsi.lun", "Required iscsi.iqn", "Required iscsi.targetPortal"],
  },
  {
    why: "a target's name has its form, and so has an initiator's",
    source: { iscsi: { targetPortal: "p", iqn: "iqn.2016-04.com.example", lun: 0, initiatorName: "eui.12" } },
    expected: ["Invalid iscsi.initiatorname", "Invalid iscsi.iqn"],
  },
  {
    why: "who proves who it is has a secret",
    source: { iscsi: { targetPortal: "p", iqn: `naa.${"0".repeat(32)}`, lun: 0, chapAuthSession: true } },
    expected: ["Required iscsi.secretRef"],
  },
  {
    why: "a dataset has one identity, without a slash",
    source: { flocker: { datasetName: "a/b", datasetUUID: "u" } },
    expected: ["Invalid flocker", "Invalid flocker.datasetName"],
  },
  {
    why: "a fibre channel has one sort of names, and a number with those of targets",
    source: { fc: { targetWWNs: ["t"], wwids: ["w"] } },
    expected: ["Invalid fc.targetWWNs", "Required fc.lun"],
  },
  { why: "a fibre channel has a name", source: { fc: {} }, expected: ["Required fc.targetWWNs"] },
  {
    why: "a secret has a name",
    source: { cinder: { volumeID: "v", secretRef: {} } },
    expected: ["Required cinder.secretRef.name"],
  },
  {
    why: "registries are hosts with ports",
    source: { quobyte: { registry: "a:1,[::1]:2,:3,b", volume: "" } },
    expected: ["Invalid quobyte.registry", "Required quobyte.volume"],
  },
  {
    why: "a tenant is short",
    source: { quobyte: { registry: "a", volume: "v", tenant: "t".repeat(65) } },
    expected: ["Required quobyte.tenant"],
  },
  {
    why: "a driver of one's own has options of its own",
    source: { flexVolume: { driver: "", options: { "a.ORCH.io/b": "c", "orch.io": "", "forch.io/x": "" } } },
    expected: [
      "Invalid flexVolume.options[a.ORCH.io/b]",
      "Invalid flexVolume.options[orch.io]",
      "Required flexVolume.driver",
    ],
  },
  { why: "a driver of one's own may have any name", source: { flexVolume: { driver: "a b" } }, expected: [] },
  {
    why: "a disk of a cloud has an address, also when there is none",
    source: { azureDisk: { diskName: "", diskURI: "" } },
    expected: ["NotSupported azureDisk.diskURI", "Required azureDisk.diskName", "Required azureDisk.diskURI"],
  },
  {
    why: "a managed disk is in a subscription",
    source: { azureDisk: { ...azure, kind: "Managed", cachingMode: "Some" } },
    expected: ["NotSupported azureDisk.cachingMode", "NotSupported azureDisk.diskURI"],
  },
  {
    why: "a disk of a cloud is of a kind",
    source: { azureDisk: { ...azure, kind: "Own" } },
    expected: ["NotSupported azureDisk.kind"],
  },
  {
    why: "a volume and its namespace are labels",
    source: { storageos: { volumeName: "A", volumeNamespace: "b.c" } },
    expected: ["Invalid storageos.volumeName", "Invalid storageos.volumeNamespace"],
  },
];

describe("a volume of a pod", () => {
  const volumes = (...sources: object[]) => ({ volumes: sources.map((source, i) => ({ name: `v${i}`, ...source })) });
  check(
    shared.map(({ why, source, expected }) => ({
      why,
      spec: volumes(source),
      expected: expected.map((line) => line.replace(" ", " volumes[0].")),
    })),
  );
  check([
    {
      why: "is short of name where it names its initiator",
      spec: { volumes: [{ name: "v", iscsi: { targetPortal: "p".repeat(63), iqn, lun: 0, initiatorName: iqn } }] },
      expected: ["Invalid volumes[0].name"],
    },
    {
      why: "has a secret for its driver, as v1.21 spells it",
      spec: volumes(
        { csi: { driver: "d", nodePublishSecretRef: {} } },
        { csi: { driver: "d", nodePublishSecretRef: { name: "A" } } },
      ),
      expected: ["Invalid volumes[1].csi.name", "Required volumes[0].csi.nodePublishSecretRef .name"],
    },
    {
      why: "has a claim of its own, with labels and annotations",
      spec: volumes({
        ephemeral: { volumeClaimTemplate: { metadata: { name: "n", labels: { "a b": "" } }, spec: {} } },
      }),
      expected: [
        "Forbidden volumes[0].ephemeral.volumeClaimTemplate.metadata.name",
        "Invalid volumes[0].ephemeral.volumeClaimTemplate.metadata.labels",
        "Required volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes",
        "Required volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]",
      ],
    },
  ]);

  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const ephemeral = { name: "v", ephemeral: { volumeClaimTemplate: { spec } } };

  test("does not use a claim that another makes", () => {
    const other = { name: "w", persistentVolumeClaim: { claimName: "x-v" } };
    expect(short(problems(pod({ volumes: [ephemeral, other] })))).toEqual([
      "Invalid spec.volumes[1].persistentVolumeClaim.claimName",
    ]);
  });

  test("makes a claim that can be named after the pod", () => {
    expect(short(problems(pod({ volumes: [ephemeral] }, { name: "x".repeat(252) })))).toEqual([
      "Invalid spec.volumes[0].name",
    ]);
  });
});

describe("a persistent volume", () => {
  const { problems: found } = judge(PersistentVolume);
  const volume = (source: object) => ({
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...source },
  });
  const own = [
    {
      why: "endpoints are in a namespace",
      source: { glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "A" } },
      expected: ["Invalid glusterfs.endpointsNamespace"],
    },
    {
      why: "a secret is in a namespace",
      source: { cinder: { volumeID: "v", secretRef: { name: "s" } } },
      expected: ["Required cinder.secretRef.namespace"],
    },
    {
      why: "the secret of a share is in a namespace",
      source: { azureFile: { secretName: "s", shareName: "t", secretNamespace: "" } },
      expected: ["Required azureFile.secretNamespace"],
    },
    {
      why: "its driver's secrets are labels, but not that for staging",
      source: {
        csi: {
          driver: "d",
          volumeHandle: "",
          controllerPublishSecretRef: { name: "a.b", namespace: "n" },
          nodePublishSecretRef: { namespace: "n.m" },
          nodeStageSecretRef: {},
        },
      },
      expected: [
        "Invalid csi.name",
        "Invalid csi.namespace",
        "Required csi.nodePublishSecretRef .name",
        "Required csi.volumeHandle",
      ],
    },
    {
      why: "its name and its portal are short together",
      source: { iscsi: { targetPortal: "p".repeat(63), iqn, lun: 0, initiatorName: iqn } },
      expected: ["Invalid iscsi.targetportal"],
    },
    {
      why: "a driver of one's own is beside others, as v1.21 has it",
      source: { flexVolume: { driver: "d" }, nfs: { server: "s", path: "/p" } },
      expected: [],
    },
    {
      why: "a local path beside others needs no node",
      source: { nfs: { server: "s", path: "/p" }, local: { path: "/x" }, cephfs: { monitors: ["m"] } },
      expected: ["Forbidden cephFS", "Forbidden local"],
    },
  ];
  // A secret of a persistent volume must name its namespace as well, which has a row of its own.
  for (const { why, source, expected } of [...shared.filter(({ source }) => !("cinder" in source)), ...own]) {
    test(why, () => {
      const lines = short(found(volume(source))).map((line) => line.replace(" spec.", " "));
      expect(lines).toEqual(expected);
    });
  }

  test("is not emptied at the root of a host, whatever the way there", () => {
    const spec = { hostPath: { path: "/a/../" }, persistentVolumeReclaimPolicy: "Recycle" };
    expect(short(found(volume(spec)))).toContain("Forbidden spec.persistentVolumeReclaimPolicy");
  });
});
