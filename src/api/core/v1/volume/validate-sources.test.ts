import { describe, expect, test } from "vitest";
import { inspect } from "../core.suite.ts";
import { PersistentVolume } from "../persistent-volume.ts";
import { check, pod, problems, short } from "../pod.suite.ts";

const iqn = "iqn.2016-04.com.example:storage";
const azure = { diskName: "d", diskURI: "https://a.example.com/d" };

/** Cases of volumes of pods and of persistent volumes alike; `expected` is without the path of the volume. */
const shared = [
  {
    why: "a GCE disk must have a name and a valid partition",
    source: { gcePersistentDisk: { pdName: "", partition: 256 } },
    expected: ["Invalid persistentDisk.partition", "Required persistentDisk.pdName"],
  },
  {
    why: "an EBS volume must have an id and a valid partition",
    source: { awsElasticBlockStore: { volumeID: "", partition: -1 } },
    expected: ["Invalid awsElasticBlockStore.partition", "Required awsElasticBlockStore.volumeID"],
  },
  {
    why: "an NFS path must be absolute, which is also reported if it is missing",
    source: { nfs: { server: "s", path: "" } },
    expected: ["Invalid nfs.path", "Required nfs.path"],
  },
  {
    why: "an iSCSI volume must have a portal, a name and a valid LUN",
    source: { iscsi: { targetPortal: "", iqn: "", lun: 256 } },
    expected: ["Invalid iscsi.lun", "Required iscsi.iqn", "Required iscsi.targetPortal"],
  },
  {
    why: "iSCSI names must be valid, for target and initiator",
    source: { iscsi: { targetPortal: "p", iqn: "iqn.2016-04.com.example", lun: 0, initiatorName: "eui.12" } },
    expected: ["Invalid iscsi.initiatorname", "Invalid iscsi.iqn"],
  },
  {
    why: "an iSCSI volume with CHAP must have a secret",
    source: { iscsi: { targetPortal: "p", iqn: `naa.${"0".repeat(32)}`, lun: 0, chapAuthSession: true } },
    expected: ["Required iscsi.secretRef"],
  },
  {
    why: "a Flocker dataset must have a name without a slash, or a UUID",
    source: { flocker: { datasetName: "a/b", datasetUUID: "u" } },
    expected: ["Invalid flocker", "Invalid flocker.datasetName"],
  },
  {
    why: "a Fibre Channel volume must have WWNs with a LUN, or WWIDs",
    source: { fc: { targetWWNs: ["t"], wwids: ["w"] } },
    expected: ["Invalid fc.targetWWNs", "Required fc.lun"],
  },
  { why: "a Fibre Channel volume must have WWNs or WWIDs", source: { fc: {} }, expected: ["Required fc.targetWWNs"] },
  {
    why: "a secret reference must have a name",
    source: { cinder: { volumeID: "v", secretRef: {} } },
    expected: ["Required cinder.secretRef.name"],
  },
  {
    why: "Quobyte registries must be hosts with ports",
    source: { quobyte: { registry: "a:1,[::1]:2,:3,b", volume: "" } },
    expected: ["Invalid quobyte.registry", "Required quobyte.volume"],
  },
  {
    why: "a Quobyte tenant must have at most 64 characters",
    source: { quobyte: { registry: "a", volume: "v", tenant: "t".repeat(65) } },
    expected: ["Required quobyte.tenant"],
  },
  {
    why: "a Flex volume must have a driver, and no options in reserved domains",
    source: { flexVolume: { driver: "", options: { "a.ORCH.io/b": "c", "orch.io": "", "forch.io/x": "" } } },
    expected: [
      "Invalid flexVolume.options[a.ORCH.io/b]",
      "Invalid flexVolume.options[orch.io]",
      "Required flexVolume.driver",
    ],
  },
  { why: "a Flex driver may have any name", source: { flexVolume: { driver: "a b" } }, expected: [] },
  {
    why: "an Azure disk must have a name and a URI, whose form is also checked if it is missing",
    source: { azureDisk: { diskName: "", diskURI: "" } },
    expected: ["NotSupported azureDisk.diskURI", "Required azureDisk.diskName", "Required azureDisk.diskURI"],
  },
  {
    why: "a managed Azure disk must have a subscription in its URI",
    source: { azureDisk: { ...azure, kind: "Managed", cachingMode: "Some" } },
    expected: ["NotSupported azureDisk.cachingMode", "NotSupported azureDisk.diskURI"],
  },
  {
    why: "an Azure disk must have a known kind",
    source: { azureDisk: { ...azure, kind: "Own" } },
    expected: ["NotSupported azureDisk.kind"],
  },
  {
    why: "a StorageOS volume and its namespace must be DNS labels",
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
      why: "must have a short name if it has an iSCSI initiator name",
      spec: { volumes: [{ name: "v", iscsi: { targetPortal: "p".repeat(63), iqn, lun: 0, initiatorName: iqn } }] },
      expected: ["Invalid volumes[0].name"],
    },
    {
      why: "must name the secret of its CSI driver, with field paths as in v1.21",
      spec: volumes(
        { csi: { driver: "d", nodePublishSecretRef: {} } },
        { csi: { driver: "d", nodePublishSecretRef: { name: "A" } } },
      ),
      expected: ["Invalid volumes[1].csi.name", "Required volumes[0].csi.nodePublishSecretRef .name"],
    },
    {
      why: "with a claim template may set only labels and annotations in its metadata",
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

  test("must not use the claim of an ephemeral volume", () => {
    const other = { name: "w", persistentVolumeClaim: { claimName: "x-v" } };
    expect(short(problems(pod({ volumes: [ephemeral, other] })))).toEqual([
      "Invalid spec.volumes[1].persistentVolumeClaim.claimName",
    ]);
  });

  test("must have a name from which a valid claim name follows", () => {
    expect(short(problems(pod({ volumes: [ephemeral] }, { name: "x".repeat(252) })))).toEqual([
      "Invalid spec.volumes[0].name",
    ]);
  });
});

describe("a persistent volume", () => {
  const { problems: found } = inspect(PersistentVolume);
  const volume = (source: object) => ({
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...source },
  });
  const own = [
    {
      why: "the namespace of Glusterfs endpoints must be valid",
      source: { glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "A" } },
      expected: ["Invalid glusterfs.endpointsNamespace"],
    },
    {
      why: "a secret reference must have a namespace",
      source: { cinder: { volumeID: "v", secretRef: { name: "s" } } },
      expected: ["Required cinder.secretRef.namespace"],
    },
    {
      why: "the secret of an Azure share must have a namespace",
      source: { azureFile: { secretName: "s", shareName: "t", secretNamespace: "" } },
      expected: ["Required azureFile.secretNamespace"],
    },
    {
      why: "secrets of a CSI driver must be DNS labels, except the one for staging",
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
      why: "an iSCSI portal must be short if there is an initiator name",
      source: { iscsi: { targetPortal: "p".repeat(63), iqn, lun: 0, initiatorName: iqn } },
      expected: ["Invalid iscsi.targetportal"],
    },
    {
      why: "a Flex volume may have a second source, as in v1.21",
      source: { flexVolume: { driver: "d" }, nfs: { server: "s", path: "/p" } },
      expected: [],
    },
    {
      why: "a local volume with a second source needs no node affinity",
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

  test("must not recycle the root of a host, however the path is written", () => {
    const spec = { hostPath: { path: "/a/../" }, persistentVolumeReclaimPolicy: "Recycle" };
    expect(short(found(volume(spec)))).toContain("Forbidden spec.persistentVolumeReclaimPolicy");
  });
});
