import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { attachmentMetadataBytesMax, errorMessageBytesMax } from "./v1/attachment-spec.ts";
import { parameterBytesMax, parametersMax } from "./v1/class-rules.ts";
import { CSIDriver } from "./v1/csi-driver.ts";
import { CSINode } from "./v1/csi-node.ts";
import { StorageClass } from "./v1/storage-class.ts";
import { VolumeAttachment } from "./v1/volume-attachment.ts";
import { CSIDriver as BetaDriver } from "./v1beta1/csi-driver.ts";
import { CSIStorageCapacity } from "./v1beta1/csi-storage-capacity.ts";
import { VolumeAttachment as BetaAttachment } from "./v1beta1/volume-attachment.ts";

const metadata = { name: "x" };

describe("a storage class", () => {
  const kind = bindVersions([StorageClass]).version("v1");
  const provisioner = "p.example.com";
  const topology = (...expressions: object[]) => ({ matchLabelExpressions: expressions });
  const cases = [
    { why: "must have a provisioner", given: {}, problems: ["Required provisioner"] },
    {
      why: "must have a qualified name as its provisioner",
      given: { provisioner: "no good!" },
      problems: ["Invalid provisioner"],
    },
    { why: "may have upper-case letters in its provisioner", given: { provisioner: "Example.com/P" }, problems: [] },
    {
      why: "must not have the reclaim policy Recycle",
      given: { provisioner, reclaimPolicy: "Recycle" },
      problems: ["NotSupported reclaimPolicy"],
    },
    {
      why: "must have a known binding mode",
      given: { provisioner, volumeBindingMode: "Later" },
      problems: ["NotSupported volumeBindingMode"],
    },
    {
      why: "has a bounded number of parameters",
      given: {
        provisioner,
        parameters: Object.fromEntries(Array.from({ length: parametersMax + 1 }, (_, index) => [`k${index}`, ""])),
      },
      problems: ["TooLong parameters"],
    },
    {
      why: "has parameters of a bounded size",
      given: { provisioner, parameters: { k: "x".repeat(parameterBytesMax) } },
      problems: ["TooLong parameters"],
    },
    {
      why: "must not have an empty parameter name",
      given: { provisioner, parameters: { "": "x" } },
      problems: ["Invalid parameters"],
    },
    {
      why: "must have label values without duplicates in its allowed topologies",
      given: {
        provisioner,
        allowedTopologies: [
          topology({ key: "a", values: [] }, { key: "b b", values: ["x", "x"] }, { key: "a", values: ["y"] }),
        ],
      },
      problems: [
        "Duplicate allowedTopologies[0].matchLabelExpressions[1].values[1]",
        "Duplicate allowedTopologies[0].matchLabelExpressions[2].key",
        "Invalid allowedTopologies[0].matchLabelExpressions[1].key",
        "Required allowedTopologies[0].matchLabelExpressions[0].values",
      ],
    },
    {
      why: "does not repeat the empty topology in one whose key has no values",
      given: { provisioner, allowedTopologies: [topology({ key: "a", values: [] })] },
      problems: ["Required allowedTopologies[0].matchLabelExpressions[0].values"],
    },
    {
      why: "must not repeat an allowed topology in another order",
      given: {
        provisioner,
        allowedTopologies: [topology({ key: "a", values: ["x", "y"] }), topology({ key: "a", values: ["y", "x"] })],
      },
      problems: ["Duplicate allowedTopologies[1].matchLabelExpressions"],
    },
  ];
  for (const { why, given, problems } of cases)
    test(why, () => expect(create(kind, { metadata, ...given }).problems).toEqual(problems));

  test("defaults to the reclaim policy Delete and immediate binding", () => {
    expect(create(kind, { metadata, provisioner }).object).toMatchObject({
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    });
  });

  test("must not change its provisioner, parameters, reclaim policy and binding mode", () => {
    const old = create(kind, { metadata, provisioner });
    const change = (given: object) => update(kind, { metadata, provisioner, ...given }, old).problems;
    expect(change({ allowVolumeExpansion: true, mountOptions: ["ro"] })).toEqual([]);
    expect(change({ provisioner: "q" })).toEqual(["Forbidden provisioner"]);
    expect(change({ parameters: { a: "b" } })).toEqual(["Forbidden parameters"]);
    // v1.21 stores an empty map as absent, and distinguishes the two when it compares.
    expect(change({ parameters: {}, mountOptions: [] })).toEqual(["Forbidden parameters"]);
    expect(change({ reclaimPolicy: "Retain" })).toEqual(["Forbidden reclaimPolicy"]);
    expect(change({ volumeBindingMode: "WaitForFirstConsumer" })).toEqual(["Invalid volumeBindingMode"]);
  });

  test("shows in its row that it is the default", () => {
    const annotations = { "storageclass.orch.io/is-default-class": "true" };
    const { object } = create(kind, { metadata: { name: "x", annotations }, provisioner });
    expect(tableRow(kind, object, kind.family.environment).slice(0, 5)).toEqual([
      "x (default)",
      provisioner,
      "Delete",
      "Immediate",
      false,
    ]);
  });
});

describe("a volume attachment", () => {
  const attachments = bindVersions([VolumeAttachment, BetaAttachment]);
  const [v1, beta] = [attachments.version("v1"), attachments.version("v1beta1")];
  const spec = { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "pv" } };
  const inline = { accessModes: ["ReadWriteOnce"], csi: { driver: "d", volumeHandle: "h" } };
  const cases = [
    {
      why: "must have an attacher, a node and a source",
      spec: { source: {} },
      problems: [
        "Invalid spec.attacher",
        "Invalid spec.nodeName",
        "Required spec.attacher",
        "Required spec.attacher",
        "Required spec.source",
      ],
    },
    {
      why: "must not have two sources",
      spec: { ...spec, source: { persistentVolumeName: "pv", inlineVolumeSpec: inline } },
      problems: ["Forbidden spec.source"],
    },
    {
      why: "must have a valid volume name",
      spec: { ...spec, source: { persistentVolumeName: "" } },
      problems: ["Invalid spec.source.persistentVolumeName", "Required spec.source.persistentVolumeName"],
    },
    { why: "may contain an inline volume", spec: { ...spec, source: { inlineVolumeSpec: inline } }, problems: [] },
    {
      why: "must have a CSI source in an inline volume",
      spec: { ...spec, source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } } },
      problems: ["Required spec.source.inlineVolumeSpec.csi"],
    },
  ];
  for (const { why, spec: given, problems } of cases)
    test(why, () => expect(create(v1, { metadata, spec: given }).problems).toEqual(problems));

  test("stores an inline volume unchanged", () => {
    const { object } = create(v1, { metadata, spec: { ...spec, source: { inlineVolumeSpec: inline } } });
    expect(object["spec"]).toEqual({ ...spec, source: { inlineVolumeSpec: inline } });
  });

  test("may have any attacher in v1beta1", () => {
    expect(create(beta, { metadata, spec: { ...spec, attacher: "Not A Driver" } }).problems).toEqual([]);
    expect(create(v1, { metadata, spec: { ...spec, attacher: "Not A Driver" } }).problems).toEqual([
      "Invalid spec.attacher",
    ]);
  });

  test("must not change its spec", () => {
    const old = create(v1, { metadata, spec });
    expect(update(v1, { metadata, spec: { ...spec, nodeName: "m" } }, old).problems).toEqual(["Invalid spec"]);
  });

  test("has a status of bounded size, with a subresource in v1 only", () => {
    const old = create(v1, { metadata, spec });
    const message = "x".repeat(errorMessageBytesMax + 1);
    const large = { k: "x".repeat(attachmentMetadataBytesMax) };
    const next = { ...old.hub, status: { attached: true, attachError: { message }, attachmentMetadata: large } };
    const path = v1.subresources.get("status");
    expect(show(path?.validate?.(next, old.hub, v1.family.environment) ?? [])).toEqual([
      "TooLong status.attachError.message",
      "TooLong status.attachmentMetadata",
    ]);
    expect(beta.subresources.size).toBe(0);
  });
});

describe("a CSI driver", () => {
  const drivers = bindVersions([CSIDriver, BetaDriver]);
  const kind = drivers.version("v1");
  const cases = [
    { why: "may have an empty spec", spec: {}, problems: [] },
    {
      why: "must have a known fsGroupPolicy",
      spec: { fsGroupPolicy: "All" },
      problems: ["NotSupported spec.fsGroupPolicy"],
    },
    {
      why: "must have known volume lifecycle modes",
      spec: { volumeLifecycleModes: ["Persistent", "Forever"] },
      problems: ["NotSupported spec.volumeLifecycleModes"],
    },
    {
      why: "must not repeat an audience, and must request tokens for at least ten minutes",
      spec: { tokenRequests: [{ audience: "a" }, { audience: "a" }, { audience: "b", expirationSeconds: 599 }] },
      problems: ["Duplicate spec.tokenRequests[1].audience", "Invalid spec.tokenRequests[2].expirationSeconds"],
    },
  ];
  for (const { why, spec, problems } of cases)
    test(why, () => expect(create(kind, { metadata, spec }).problems).toEqual(problems));

  test("has the same defaults in both versions", () => {
    const [stable, beta] = [kind, drivers.version("v1beta1")].map(
      (one) => create(one, { metadata, spec: {} }).object["spec"],
    );
    expect(stable).toEqual({
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ["Persistent"],
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
    });
    expect(beta).toEqual(stable);
  });

  test("loses fields of disabled features, unless the stored object has them", () => {
    const off = { CSIStorageCapacity: false, CSIVolumeFSGroupPolicy: false, CSIServiceAccountToken: false };
    const former = bindVersions([CSIDriver], off).version("v1");
    const spec = { storageCapacity: true, fsGroupPolicy: "File", tokenRequests: [{ audience: "a" }] };
    const old = create(former, { metadata, spec });
    const known = { attachRequired: true, podInfoOnMount: false, volumeLifecycleModes: ["Persistent"] };
    expect([old.object["spec"], old.problems]).toEqual([known, []]);
    expect(update(former, { metadata, spec }, old).object["spec"]).toEqual(known);
    const before = create(kind, { metadata, spec });
    expect(update(former, { metadata, spec }, before).object["spec"]).toMatchObject({ storageCapacity: true });
  });

  test("may change its token requests only, which raises its generation", () => {
    const old = create(kind, { metadata, spec: {} });
    const all = {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: "File",
      volumeLifecycleModes: ["Ephemeral"],
    };
    expect(update(kind, { metadata, spec: all }, old).problems).toEqual([
      "Invalid spec.attachedRequired",
      "Invalid spec.fsGroupPolicy",
      "Invalid spec.podInfoOnMount",
      "Invalid spec.storageCapacity",
      "Invalid spec.volumeLifecycleModes",
    ]);
    const tokens = update(kind, { metadata, spec: { tokenRequests: [{ audience: "a" }] } }, old);
    expect([tokens.problems, tokens.hub.metadata.generation]).toEqual([[], 1]);
  });
});

describe("the CSI drivers of a node", () => {
  const kind = bindVersions([CSINode]).version("v1");
  const node = (...drivers: object[]) => ({ metadata, spec: { drivers } });
  const cases = [
    {
      why: "must have names and bounded ids",
      drivers: [
        { name: "", nodeID: "" },
        { name: "d", nodeID: "i".repeat(193) },
      ],
      problems: [
        "Invalid spec.drivers[0].name",
        "Invalid spec.drivers[1].nodeID",
        "Required spec.drivers[0].name",
        "Required spec.drivers[0].nodeID",
      ],
    },
    {
      why: "must not repeat a name",
      drivers: [
        { name: "d", nodeID: "i" },
        { name: "d", nodeID: "j" },
      ],
      problems: ["Duplicate spec.drivers[1].name"],
    },
    {
      why: "must have unique, valid topology keys and no negative counts",
      drivers: [{ name: "d", nodeID: "i", topologyKeys: ["a", "a", ""], allocatable: { count: -1 } }],
      problems: [
        "Duplicate spec.drivers[0]",
        "Invalid spec.drivers[0]",
        "Invalid spec.drivers[0].allocatable.count",
        "Required spec.drivers[0]",
      ],
    },
  ];
  for (const { why, drivers, problems } of cases)
    test(why, () => expect(create(kind, node(...drivers)).problems).toEqual(problems));

  test("may be added and removed, but not changed", () => {
    const old = create(kind, node({ name: "d", nodeID: "i" }));
    expect(update(kind, node({ name: "e", nodeID: "i" }), old).problems).toEqual([]);
    expect(update(kind, node({ name: "d", nodeID: "j" }), old).problems).toEqual(["Invalid CSINodeDriver"]);
  });
});

test("a storage capacity must not be negative, nor change its class and topology", () => {
  const kind = bindVersions([CSIStorageCapacity]).version("v1beta1");
  expect(create(kind, { metadata, storageClassName: "", capacity: "-1" }).problems).toEqual([
    "Invalid capacity",
    "Invalid storageClassName",
  ]);
  const old = create(kind, { metadata, storageClassName: "a", nodeTopology: { matchLabels: { a: "b" } } });
  expect(update(kind, { metadata, storageClassName: "b", capacity: "1Gi" }, old).problems).toEqual([
    "Invalid nodeTopology",
    "Invalid storageClassName",
  ]);
});
