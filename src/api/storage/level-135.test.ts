import { describe, expect, test } from "vitest";
import { PersistentVolume } from "../core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../core/v1/persistent-volume-claim.ts";
import { bindVersions, create, type Outcome, testEnvironment, update } from "../life.suite.ts";
import { createClaimMeter } from "../quota/claim-meter.ts";
import { CSIDriver } from "./v1/csi-driver.ts";
import { CSINode } from "./v1/csi-node.ts";
import { VolumeAttributesClass } from "./v1/volume-attributes-class.ts";

const at = (kind: unknown, gates = {}) => bindVersions([kind], gates, "1.35").version("v1");

describe("at level 1.35 a claim", () => {
  const claims = at(PersistentVolumeClaim);
  const claim = (spec: object) => ({
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
  const bound = (made: Outcome, status: object): Outcome => ({
    ...made,
    hub: { ...made.hub, status: { phase: "Bound", ...status } },
  });

  test("names its source in both fields", () => {
    const dataSource = { kind: "PersistentVolumeClaim", name: "s" };
    const { object } = create(claims, claim({ dataSource }));
    expect(object["spec"]).toMatchObject({ dataSourceRef: dataSource });
    const other = { apiGroup: "example.com", kind: "Filler", name: "f" };
    expect(create(claims, claim({ dataSource: other })).object["spec"]).not.toHaveProperty("dataSource");
    const far = create(claims, claim({ dataSourceRef: { ...dataSource, namespace: "b" } }));
    expect(far.object["spec"]).not.toHaveProperty("dataSourceRef");
    expect(far.object["spec"]).not.toHaveProperty("dataSource");
    const both = create(claims, claim({ dataSource, dataSourceRef: { ...dataSource, namespace: "b" } }));
    expect(both.object["spec"]).toMatchObject({ dataSource, dataSourceRef: dataSource });
  });

  test("has ReadWriteOncePod alone", () => {
    const accessModes = ["ReadWriteOncePod", "ReadWriteOnce"];
    expect(create(claims, claim({ accessModes })).problems).toEqual(["Forbidden spec.accessModes"]);
  });

  test("reports an expansion of storage, or of a resource with a domain, in known states", () => {
    const problemsOf = (status: object) =>
      claims.subresources
        .get("status")
        ?.validate?.(
          { ...create(claims, claim({})).hub, status },
          create(claims, claim({})).hub,
          testEnvironment({}, "1.35"),
        )
        .map(({ reason, field }) => `${reason} ${field}`);
    const allocatedResources = { storage: "2Gi", "example.com/iops": "5" };
    const allocatedResourceStatuses = {
      storage: "NodeResizePending",
      "example.com/iops": "ControllerResizeInfeasible",
    };
    expect(problemsOf({ allocatedResources, allocatedResourceStatuses })).toEqual([]);
    expect(problemsOf({ allocatedResources: { cpu: "1", storage: "-1" } })).toEqual([
      "FieldValueNotSupported status.allocatedResources",
      "FieldValueInvalid status.allocatedResources[storage]",
    ]);
    expect(
      problemsOf({ allocatedResourceStatuses: { cpu: "NodeResizePending", storage: "Done", "a b": "Done" } }),
    ).toEqual([
      "FieldValueNotSupported status.allocatedResourceStatus",
      "FieldValueNotSupported status.allocatedResourceStatus",
      "FieldValueInvalid status.allocatedResourceStatus",
      "FieldValueNotSupported status.allocatedResourceStatus",
    ]);
  });

  test("that is not bound cannot request less, which is one problem", () => {
    const made = create(claims, claim({ resources: { requests: { storage: "9Gi" } } }));
    expect(update(claims, claim({}), made).problems).toEqual(["Forbidden spec"]);
  });

  test("may change its attributes once it is bound, and take back an expansion that failed", () => {
    const made = create(
      claims,
      claim({ volumeAttributesClassName: "gold", resources: { requests: { storage: "9Gi" } } }),
    );
    const changed = (spec: object, status: object) => update(claims, claim(spec), bound(made, status)).problems;
    const nine = { resources: { requests: { storage: "9Gi" } } };
    expect(changed({ ...nine, volumeAttributesClassName: "silver" }, {})).toEqual([]);
    expect(changed(nine, { currentVolumeAttributesClassName: "gold" })).toEqual([
      "Forbidden spec.volumeAttributesClassName",
    ]);
    const five = { volumeAttributesClassName: "gold", resources: { requests: { storage: "5Gi" } } };
    expect(changed(five, { capacity: { storage: "4Gi" } })).toEqual([]);
    expect(changed(five, { capacity: { storage: "5Gi" } })).toEqual(["Forbidden spec.resources.requests.storage"]);
  });

  test("warns of a fraction of a byte", () => {
    expect(create(claims, claim({ resources: { requests: { storage: "1500m" } } })).warnings).toHaveLength(1);
  });
});

describe("at level 1.35 a volume", () => {
  const volumes = at(PersistentVolume);
  const csi = { driver: "d", volumeHandle: "h" };
  const volume = (spec: object) => ({
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
  });

  test("tells when its phase changed", () => {
    expect(create(volumes, volume({ csi })).object["status"]).toMatchObject({
      lastPhaseTransitionTime: expect.any(String),
    });
  });

  test("has attributes only with a CSI driver, and keeps having some", () => {
    const hostPath = { path: "/d" };
    expect(create(volumes, volume({ hostPath, volumeAttributesClassName: "gold" })).problems).toEqual([
      "Required spec.csi",
    ]);
    const made = create(volumes, volume({ csi, volumeAttributesClassName: "gold" }));
    expect(update(volumes, volume({ csi }), made).problems).toEqual(["Forbidden spec.volumeAttributesClassName"]);
  });

  test("may exchange a beta label in its affinity for the stable one, but not its value", () => {
    const placed = (key: string, value: string) => ({
      csi,
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
      },
    });
    const made = create(volumes, volume(placed("failure-domain.beta.orch.io/zone", "a")));
    expect(made.warnings).toHaveLength(1);
    expect(update(volumes, volume(placed("topology.orch.io/zone", "a")), made).problems).toEqual([]);
    expect(update(volumes, volume(placed("topology.orch.io/zone", "b")), made).problems).toEqual([
      "Invalid nodeAffinity",
    ]);
  });
});

test("a VolumeAttributesClass has a driver and parameters, which stay", () => {
  const classes = at(VolumeAttributesClass);
  expect(create(classes, {}).problems).toEqual(["Required driverName", "Required parameters"]);
  const made = create(classes, { driverName: "d", parameters: { a: "b" } });
  expect(update(classes, { driverName: "e", parameters: { a: "c" } }, made).problems).toEqual([
    "Forbidden driverName",
    "Forbidden parameters",
  ]);
  const named = (driverName: string) => create(classes, { driverName, parameters: { a: "b" } }).problems;
  expect(named("Example.com/Driver_a")).toEqual([]);
  expect(named("d".repeat(64))).toEqual(["Invalid driverName"]);
});

test("the id of a node in a driver has up to 256 characters at level 1.35", () => {
  const problemsOf = (nodes: ReturnType<typeof at>, length: number) =>
    create(nodes, { spec: { drivers: [{ name: "d", nodeID: "i".repeat(length) }] } }).problems;
  expect(problemsOf(at(CSINode), 256)).toEqual([]);
  expect(problemsOf(at(CSINode), 257)).toEqual(["Invalid spec.drivers[0].nodeID"]);
  const earlier = bindVersions([CSINode]).version("v1");
  expect(problemsOf(earlier, 192)).toEqual([]);
  expect(problemsOf(earlier, 193)).toEqual(["Invalid spec.drivers[0].nodeID"]);
});

test.each([
  { field: "podInfoOnMount", value: true },
  { field: "fsGroupPolicy", value: "File" },
])("$field of a driver may change at level 1.35, which the generation counts", ({ field, value }) => {
  const changes = (drivers: ReturnType<typeof at>) => {
    const made = create(drivers, { spec: {} });
    const { problems, object } = update(drivers, { spec: { [field]: value } }, made);
    return { problems, generation: object.metadata.generation };
  };
  expect(changes(at(CSIDriver))).toEqual({ problems: [], generation: 1 });
  expect(changes(bindVersions([CSIDriver]).version("v1")).problems).toEqual([`Invalid spec.${field}`]);
});

test("fields of a driver need their gates, and stay where they were", () => {
  const spec = {
    seLinuxMount: true,
    nodeAllocatableUpdatePeriodSeconds: 10,
    serviceAccountTokenInSecrets: true,
    tokenRequests: [{ audience: "a" }],
  };
  const made = create(at(CSIDriver), { spec });
  expect(made.object["spec"]).toMatchObject(spec);
  const off = at(CSIDriver, {
    SELinuxMountReadWriteOncePod: false,
    MutableCSINodeAllocatableCount: false,
    CSIServiceAccountTokenSecrets: false,
  });
  expect(Object.keys(create(off, { spec }).object["spec"] ?? {}).sort()).toEqual([
    "attachRequired",
    "fsGroupPolicy",
    "podInfoOnMount",
    "requiresRepublish",
    "storageCapacity",
    "tokenRequests",
    "volumeLifecycleModes",
  ]);
  expect(update(off, { spec }, made).object["spec"]).toMatchObject(spec);
});

test("the number of volumes of a driver on a node may change, its id and topology may not", () => {
  const driver = { name: "d.example", nodeID: "n", topologyKeys: ["zone"], allocatable: { count: 3 } };
  const changed = (part: object, gates = {}) => {
    const nodes = at(CSINode, gates);
    const made = create(nodes, { spec: { drivers: [driver] } });
    return update(nodes, { spec: { drivers: [{ ...driver, ...part }] } }, made).problems;
  };
  expect(changed({ allocatable: { count: 4 } })).toEqual([]);
  expect(changed({ allocatable: { count: -1 } })).toEqual(["Invalid spec.drivers[0].allocatable.count"]);
  expect(changed({ nodeID: "m" })).toEqual(["Invalid spec.drivers"]);
  expect(changed({ topologyKeys: ["rack"] })).toEqual(["Invalid spec.drivers"]);
  expect(changed({ allocatable: { count: 4 } }, { MutableCSINodeAllocatableCount: false })).toEqual([
    "Invalid spec.drivers",
  ]);
});

test("a quota may be about claims of some attributes only", () => {
  const meter = createClaimMeter(testEnvironment({}, "1.35"));
  const isCounted = (operator: string, volumeAttributesClassName?: string) =>
    meter.isInScope?.(
      { scopeName: "VolumeAttributesClass", operator, values: ["gold"] },
      { metadata: {}, spec: volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName } },
    );
  expect([isCounted("In", "gold"), isCounted("In", "tin"), isCounted("NotIn"), isCounted("Exists")]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
