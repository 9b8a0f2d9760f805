/** Validation and updates of volumes and claims. */

import { describe, expect, test } from "vitest";
import { bindVersions, create, show } from "../../life.suite.ts";
import { inspect } from "./core.suite.ts";
import { PersistentVolume } from "./persistent-volume.ts";
import { PersistentVolumeClaim } from "./persistent-volume-claim.ts";
import type { PersistentVolumeClaimStatus } from "./volume/persistent-volume-claim-status.ts";
import { validateClaimStatus } from "./volume/validate-claim.ts";

describe("a persistent volume", () => {
  const { make, problems, problemsOfUpdate, cells } = inspect(PersistentVolume);
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } };

  test("gets defaults for omitted fields", () => {
    expect(make({ spec, status: { phase: "Bound" } })).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  test("is printed with a null secretRef for ScaleIO if it has none", () => {
    const { hostPath: _path, ...rest } = spec;
    const scaleIO = { gateway: "g", system: "s", volumeName: "v" };
    expect(make({ spec: { ...rest, scaleIO } })).toMatchObject({ spec: { scaleIO: { secretRef: null } } });
  });

  const { capacity: _capacity, ...withoutCapacity } = spec;
  const { hostPath: _hostPath, ...withoutSource } = spec;
  const cases = [
    {
      why: "its spec is empty",
      spec: {},
      found: [
        "FieldValueNotSupported spec.capacity",
        "FieldValueRequired spec",
        "FieldValueRequired spec.accessModes",
        "FieldValueRequired spec.capacity",
      ],
    },
    { why: "it has no source", spec: withoutSource, found: ["FieldValueRequired spec"] },
    {
      why: "it has two sources",
      spec: { ...spec, nfs: { server: "s", path: "/p" } },
      found: ["FieldValueForbidden spec.nfs"],
    },
    {
      why: "its capacity is zero",
      spec: { ...withoutCapacity, capacity: { storage: "0", cpu: "1" } },
      found: ["FieldValueInvalid spec.capacity[storage]", "FieldValueNotSupported spec.capacity"],
    },
    {
      why: "values are unknown",
      spec: { ...spec, accessModes: ["Any"], persistentVolumeReclaimPolicy: "Keep", volumeMode: "Tape" },
      found: [
        "FieldValueNotSupported spec.accessModes",
        "FieldValueNotSupported spec.persistentVolumeReclaimPolicy",
        "FieldValueNotSupported spec.volumeMode",
      ],
    },
    {
      why: "it would recycle the root of a host",
      spec: { ...spec, hostPath: { path: "//./" }, persistentVolumeReclaimPolicy: "Recycle" },
      found: ["FieldValueForbidden spec.persistentVolumeReclaimPolicy"],
    },
    {
      why: "a local volume has no node affinity",
      spec: { ...withoutSource, local: { path: "/x" } },
      found: ["FieldValueRequired spec.nodeAffinity"],
    },
  ];
  for (const { why, spec: given, found } of cases) {
    test(`is refused where ${why}`, () => expect(problems({ spec: given })).toEqual(found));
  }

  test("may have mount options in the annotation only if its source supports them", () => {
    const metadata = { name: "x", annotations: { "volume.beta.orch.io/mount-options": "ro" } };
    const refused = ["FieldValueForbidden metadata.annotations.volume.beta.orch.io/mount-options"];
    expect(problems({ metadata, spec })).toEqual(refused);
    expect(problemsOfUpdate({ metadata, spec }, { spec })).toEqual(refused);
    expect(problems({ metadata, spec: { ...withoutSource, nfs: { server: "s", path: "/p" } } })).toEqual([]);
  });

  test("may change its capacity, but not its source, mode and set node affinity", () => {
    const affinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] } };
    expect(
      problemsOfUpdate({ spec: { ...spec, capacity: { storage: "5Gi" }, nodeAffinity: affinity } }, { spec }),
    ).toEqual([]);
    const other = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "b", operator: "Exists" }] }] } };
    expect(
      problemsOfUpdate(
        { spec: { ...spec, hostPath: { path: "/other" }, volumeMode: "Block", nodeAffinity: other } },
        { spec: { ...spec, nodeAffinity: affinity } },
      ),
    ).toEqual([
      "FieldValueForbidden spec.persistentvolumesource",
      "FieldValueInvalid nodeAffinity",
      "FieldValueInvalid volumeMode",
    ]);
  });

  test("may still get a secret for expansion", () => {
    const csi = { driver: "d.example.com", volumeHandle: "h" };
    const secret = { controllerExpandSecretRef: { name: "a", namespace: "b" } };
    const before = { spec: { ...withoutSource, csi } };
    expect(problemsOfUpdate({ spec: { ...withoutSource, csi: { ...csi, ...secret } } }, before)).toEqual([]);
  });

  test("is shown with abbreviated access modes", () => {
    const body = {
      spec: { ...spec, accessModes: ["ReadWriteMany", "ReadWriteOnce"], claimRef: { namespace: "n", name: "c" } },
      status: { phase: "Bound", reason: "Why" },
    };
    expect(cells(body).slice(1, 8)).toEqual(["1Gi", "RWO,RWX", "Retain", "Bound", "n/c", "", "Why"]);
  });
});

describe("a claim", () => {
  const { make, problems, problemsOfUpdate, problemsOfStatus, cells } = inspect(PersistentVolumeClaim);
  const today = bindVersions([PersistentVolumeClaim], {}, "1.35").version("v1");
  const sized = (storage: string) => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });
  const spec = sized("1Gi");
  const bound = { status: { phase: "Bound" } };

  test("keeps a data source only if it is a claim or a snapshot", () => {
    const from = (dataSource: object) => (make({ spec: { ...spec, dataSource } })["spec"] as object) ?? {};
    expect(from({ kind: "PersistentVolumeClaim", name: "a" })).toMatchObject({ dataSource: { apiGroup: null } });
    expect(from({ apiGroup: "snapshot.storage.orch.io", kind: "VolumeSnapshot", name: "a" })).toHaveProperty(
      "dataSource",
    );
    expect(from({ apiGroup: "example.com", kind: "Thing", name: "a" })).not.toHaveProperty("dataSource");
  });

  const cases = [
    { why: "it must not grow before it is bound", next: { spec: sized("2Gi") }, found: ["FieldValueForbidden spec"] },
    { why: "it may grow once it is bound", old: bound, next: { spec: sized("2Gi") }, found: [] },
    {
      why: "it must not shrink",
      old: bound,
      next: { spec: sized("512Mi") },
      found: ["FieldValueForbidden spec.resources.requests.storage"],
    },
    { why: "it may name its volume once", next: { spec: { ...spec, volumeName: "v" } }, found: [] },
    {
      why: "it must not change its mode",
      next: { spec: { ...spec, volumeMode: "Block" } },
      found: ["FieldValueForbidden spec", "FieldValueInvalid volumeMode"],
    },
  ];
  for (const { why, old, next, found } of cases) {
    test(`is updated by the rules: ${why}`, () => expect(problemsOfUpdate(next, { spec, ...old })).toEqual(found));
  }

  test("may replace the class annotation by the field, but not just remove it", () => {
    const key = "volume.beta.orch.io/storage-class";
    const old = { metadata: { name: "x", annotations: { [key]: "fast" } }, spec };
    expect(problemsOfUpdate({ spec: { ...spec, storageClassName: "fast" } }, old)).toEqual([]);
    expect(problemsOfUpdate({ spec }, old)).toEqual([`FieldValueInvalid metadata.annotations.${key}`]);
  });

  test("is validated only for its storage request", () => {
    expect(
      problems({ spec: { ...spec, resources: { requests: { storage: "1", cpu: "-1" }, limits: { a: "-1" } } } }),
    ).toEqual([]);
    expect(problems({ spec: { ...spec, resources: { requests: { storage: "-1" } } } })).toEqual([
      "FieldValueInvalid spec.resources[storage]",
    ]);
  });

  test("must not have a negative capacity", () => {
    expect(problemsOfStatus({ spec, status: { capacity: { storage: "-1" } } }, { spec })).toEqual([
      "FieldValueInvalid status.capacity[storage]",
    ]);
  });

  test("says at level 1.35 which resources are expanded, and how far that is", () => {
    const check = (status: PersistentVolumeClaimStatus) =>
      show(validateClaimStatus({ metadata: {}, spec, status }, { metadata: {} }, today.family.environment));
    expect(check({ allocatedResources: { storage: "2Gi", "a.b/c": "1" } })).toEqual([]);
    expect(check({ allocatedResources: { storage: "-1", cpu: "1", "a b": "1" } })).toEqual([
      "Invalid status.allocatedResources",
      "Invalid status.allocatedResources[storage]",
      "NotSupported status.allocatedResources",
    ]);
    expect(check({ allocatedResourceStatuses: { storage: "NodeResizePending", "orch.io/x": "Slow" } })).toEqual([
      "NotSupported status.allocatedResourceStatus",
      "NotSupported status.allocatedResourceStatus",
    ]);
  });

  test("names the group of its source by a domain at level 1.35", () => {
    const from = (apiGroup: string) => ({ spec: { ...spec, dataSourceRef: { apiGroup, kind: "Thing", name: "a" } } });
    expect(create(today, from("a.b")).problems).toEqual([]);
    expect(create(today, from("A!")).problems).toEqual([
      "Invalid spec.dataSource.apiGroup",
      "Invalid spec.dataSourceRef.apiGroup",
    ]);
  });

  test("shows its volume, capacity and access modes once it is bound", () => {
    expect(cells({ spec }).slice(1, 6)).toEqual(["Pending", "", "", "", ""]);
    const status = { phase: "Bound", capacity: { storage: "3Gi" }, accessModes: ["ReadOnlyMany"] };
    expect(cells({ spec: { ...spec, volumeName: "v" }, status }).slice(1, 6)).toEqual(["Bound", "v", "3Gi", "ROX", ""]);
    const leaving = { metadata: { name: "x", deletionTimestamp: "2021-06-01T00:00:00Z" }, spec };
    expect(cells(leaving)[1]).toBe("Terminating");
  });
});
