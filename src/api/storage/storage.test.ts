import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { CSIDriver } from "./v1/csi-driver.ts";
import { CSINode, nodeIdCharsMax } from "./v1/csi-node.ts";
import { StorageClass } from "./v1/storage-class.ts";
import { parameterBytesMax, parametersMax } from "./v1/validate-storage-class.ts";
import { attachmentMetadataBytesMax, errorMessageBytesMax } from "./v1/validate-volume-attachment.ts";
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
    { why: "says who provides", given: {}, problems: ["Required provisioner"] },
    { why: "names the provider as others can", given: { provisioner: "no good!" }, problems: ["Invalid provisioner"] },
    { why: "may write the provider in upper case", given: { provisioner: "Example.com/P" }, problems: [] },
    {
      why: "does not recycle",
      given: { provisioner, reclaimPolicy: "Recycle" },
      problems: ["NotSupported reclaimPolicy"],
    },
    {
      why: "binds at one of two times",
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
    { why: "names its parameters", given: { provisioner, parameters: { "": "x" } }, problems: ["Invalid parameters"] },
    {
      why: "asks for values of labels, each once",
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
      why: "does not ask the same twice in another order",
      given: {
        provisioner,
        allowedTopologies: [topology({ key: "a", values: ["x", "y"] }), topology({ key: "a", values: ["y", "x"] })],
      },
      problems: ["Duplicate allowedTopologies[1].matchLabelExpressions"],
    },
  ];
  for (const { why, given, problems } of cases)
    test(why, () => expect(create(kind, { metadata, ...given }).problems).toEqual(problems));

  test("deletes its volumes and binds them at once unless it says otherwise", () => {
    expect(create(kind, { metadata, provisioner }).object).toMatchObject({
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    });
  });

  test("keeps what volumes were made with, and may change the rest", () => {
    const old = create(kind, { metadata, provisioner });
    const change = (given: object) => update(kind, { metadata, provisioner, ...given }, old).problems;
    expect(change({ allowVolumeExpansion: true, mountOptions: ["ro"] })).toEqual([]);
    expect(change({ provisioner: "q" })).toEqual(["Forbidden provisioner"]);
    expect(change({ parameters: { a: "b" } })).toEqual(["Forbidden parameters"]);
    // v1.21 keeps none where some were given empty, and distinguishes the two when it compares.
    expect(change({ parameters: {}, mountOptions: [] })).toEqual(["Forbidden parameters"]);
    expect(change({ reclaimPolicy: "Retain" })).toEqual(["Forbidden reclaimPolicy"]);
    expect(change({ volumeBindingMode: "WaitForFirstConsumer" })).toEqual(["Invalid volumeBindingMode"]);
  });

  test("says in its row that it is the default", () => {
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
      why: "needs all three",
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
      why: "has one source",
      spec: { ...spec, source: { persistentVolumeName: "pv", inlineVolumeSpec: inline } },
      problems: ["Forbidden spec.source"],
    },
    {
      why: "names its volume",
      spec: { ...spec, source: { persistentVolumeName: "" } },
      problems: ["Invalid spec.source.persistentVolumeName", "Required spec.source.persistentVolumeName"],
    },
    { why: "may carry its volume", spec: { ...spec, source: { inlineVolumeSpec: inline } }, problems: [] },
    {
      why: "carries volumes of drivers only",
      spec: { ...spec, source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } } },
      problems: ["Required spec.source.inlineVolumeSpec.csi"],
    },
  ];
  for (const { why, spec: given, problems } of cases)
    test(why, () => expect(create(v1, { metadata, spec: given }).problems).toEqual(problems));

  test("leaves a volume that it carries as it was given", () => {
    const { object } = create(v1, { metadata, spec: { ...spec, source: { inlineVolumeSpec: inline } } });
    expect(object["spec"]).toEqual({ ...spec, source: { inlineVolumeSpec: inline } });
  });

  test("takes any attacher in v1beta1", () => {
    expect(create(beta, { metadata, spec: { ...spec, attacher: "Not A Driver" } }).problems).toEqual([]);
    expect(create(v1, { metadata, spec: { ...spec, attacher: "Not A Driver" } }).problems).toEqual([
      "Invalid spec.attacher",
    ]);
  });

  test("cannot be pointed elsewhere", () => {
    const old = create(v1, { metadata, spec });
    expect(update(v1, { metadata, spec: { ...spec, nodeName: "m" } }, old).problems).toEqual(["Invalid spec"]);
  });

  test("has a status of a bounded size, and a path for it in v1 only", () => {
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

describe("a driver", () => {
  const drivers = bindVersions([CSIDriver, BetaDriver]);
  const kind = drivers.version("v1");
  const cases = [
    { why: "may say nothing", spec: {}, problems: [] },
    { why: "has a policy for groups", spec: { fsGroupPolicy: "All" }, problems: ["NotSupported spec.fsGroupPolicy"] },
    {
      why: "provides volumes that outlive pods, or do not",
      spec: { volumeLifecycleModes: ["Persistent", "Forever"] },
      problems: ["NotSupported spec.volumeLifecycleModes"],
    },
    {
      why: "asks for one token for each audience, that lives ten minutes at least",
      spec: { tokenRequests: [{ audience: "a" }, { audience: "a" }, { audience: "b", expirationSeconds: 599 }] },
      problems: ["Duplicate spec.tokenRequests[1].audience", "Invalid spec.tokenRequests[2].expirationSeconds"],
    },
  ];
  for (const { why, spec, problems } of cases)
    test(why, () => expect(create(kind, { metadata, spec }).problems).toEqual(problems));

  test("is the same in both versions when it says nothing", () => {
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

  test("is asked less by a server that knows less", () => {
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

  test("keeps what nodes know of it; tokens may change, and are counted", () => {
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

describe("the drivers of a node", () => {
  const kind = bindVersions([CSINode]).version("v1");
  const node = (...drivers: object[]) => ({ metadata, spec: { drivers } });
  const cases = [
    {
      why: "have names and ids",
      drivers: [
        { name: "", nodeID: "" },
        { name: "d", nodeID: "i".repeat(nodeIdCharsMax + 1) },
      ],
      problems: [
        "Invalid spec.drivers[0].name",
        "Invalid spec.drivers[1].nodeID",
        "Required spec.drivers[0].name",
        "Required spec.drivers[0].nodeID",
      ],
    },
    {
      why: "are there once",
      drivers: [
        { name: "d", nodeID: "i" },
        { name: "d", nodeID: "j" },
      ],
      problems: ["Duplicate spec.drivers[1].name"],
    },
    {
      why: "have keys that are labels, and no debts",
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

  test("come and go but stay what they are", () => {
    const old = create(kind, node({ name: "d", nodeID: "i" }));
    expect(update(kind, node({ name: "e", nodeID: "i" }), old).problems).toEqual([]);
    expect(update(kind, node({ name: "d", nodeID: "j" }), old).problems).toEqual(["Invalid CSINodeDriver"]);
  });
});

test("a storage capacity is of a class and a place that stay, and never negative", () => {
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
