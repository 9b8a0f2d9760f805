/** A CSINode lists the storage drivers of one node. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, int32, list, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { duplicate, type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { accessModes, volumeModes } from "../../core/v1/volume/persistent-volume-claim-spec.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";

const nodeIdCharsMax = 256;
const earlyNodeIdCharsMax = 192;

const VolumeNodeResources = struct("storage.v1.VolumeNodeResources", {
  count: optional(int32())
    .at(1)
    .atLeast(0, "must be zero or more")
    .doc("The highest number of volumes on the node. Absent: no limit."),
});

const CSINodeDriver = struct("storage.v1.CSINodeDriver", {
  name: string()
    .at(1)
    .required()
    .checked(validateDriverName)
    .before("1.33", (name) => name.evenEmpty())
    .doc("The name of the CSI driver. Required."),
  nodeID: string()
    .at(2)
    .required()
    .max(nodeIdCharsMax, `must have at most ${nodeIdCharsMax} characters`)
    .before("1.24", (id) => id.max(earlyNodeIdCharsMax, `must have at most ${earlyNodeIdCharsMax} characters`))
    .doc("The id of the node in the driver."),
  topologyKeys: list(string())
    .listed(false)
    .at(3)
    .doc("Node labels that describe the place of the node for the driver."),
  allocatable: optional(VolumeNodeResources).at(4).doc("How many volumes of the driver the node can use."),
});
type CSINodeDriver = Static<typeof CSINodeDriver>;

const CSINodeSpec = struct("storage.v1.CSINodeSpec", {
  drivers: list(CSINodeDriver, { patchStrategy: "merge", patchMergeKey: "name", keepsEmpty: true })
    .at(1)
    .uniqueBy("name")
    .doc("The drivers installed on the node."),
});

const StorageHealthCondition = struct("storage.v1.StorageHealthCondition", {
  status: string()
    .at(1)
    .required()
    .oneOf(["StorageDegraded", "StorageUnreachable"])
    .doc("StorageDegraded or StorageUnreachable."),
  reason: string().at(2).required().doc("One word that says why."),
  message: elided(string()).at(3).doc("A sentence for people."),
  accessMode: optional(string()).at(4).oneOf(accessModes).doc("The access mode that is concerned. Absent: all."),
  volumeMode: optional(string()).at(5).oneOf(volumeModes).doc("Block or Filesystem. Absent: both."),
  lastTransitionTime: elided(time()).at(6).doc("When the condition last changed."),
});

const StorageHealth = struct("storage.v1.StorageHealth", {
  name: string().at(1).required().doc("The name of the driver."),
  healthConditions: elided(list(StorageHealthCondition, { topology: "atomic" }))
    .at(2)
    .doc("What is wrong with the storage of the driver. Empty: nothing."),
});

const CSINodeStatus = struct("storage.v1.CSINodeStatus", {
  storageHealth: elided(
    list(StorageHealth, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
  )
    .at(1)
    .uniqueBy("name")
    .doc("What drivers report about their storage, one entry for each."),
});

export const CSINode = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  scope: "Cluster",
  doc: "A CSINode lists the storage drivers of one node.",
  fields: {
    spec: CSINodeSpec.at(2).doc("The desired state of the CSInode, set by its users."),
    status: elided(CSINodeStatus)
      .at(3)
      .since("1.37")
      .behind("CSIVolumeHealth", { member: "storageHealth" })
      .doc("The most recently observed state of the CSI node, written by the node agent."),
  },
  unconditionalUpdate: false,
  returnsDeleted: true,
  // It is shown even where nothing is in it.
  defaults(node, { since }) {
    if (since("1.37")) node.status ??= {};
  },
  relations: [on(CSINodeDriver, ({ topologyKeys }) => validateTopologyKeys(topologyKeys ?? []))],
  // An empty list in a request has an owner, but is stored as absent.
  complete: (node) =>
    node.spec.drivers?.length === 0 ? { ...node, spec: Object.assign({ ...node.spec }, { drivers: null }) } : node,
  validateUpdate: ({ spec }, old, environment) =>
    validateUnchanged(spec.drivers ?? [], old.spec.drivers ?? [], environment),
  columns: (column) => [
    nameColumn,
    column("Drivers", ({ spec }) => (spec.drivers ?? []).length, { type: "integer" }),
    ageColumn,
  ],
  subresources: [{ ...status(), since: "1.37" }],
});
export type CSINode = Static<typeof CSINode>;

/** v1.21 reports problems of keys at the driver. */
function validateTopologyKeys(keys: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors: FieldError[] = key === "" ? [required("", "a topology key must not be empty")] : [];
    if (seen.has(key)) errors.push(duplicate("", key));
    seen.add(key);
    return [...errors, ...isQualifiedName(key).map((problem) => invalid("", key, problem))];
  });
}

/** Drivers may be added and removed, but not changed: all but the number of volumes, where a gate allows it. */
function validateUnchanged(
  drivers: readonly CSINodeDriver[],
  old: readonly CSINodeDriver[],
  { since, gates }: Environment,
): FieldError[] {
  const before = new Map(old.map((driver) => [driver.name, driver]));
  const changed = drivers.some((driver) => {
    const known = before.get(driver.name);
    if (known === undefined) return false;
    return gates.enabled("MutableCSINodeAllocatableCount")
      ? driver.nodeID !== known.nodeID || !sameValue(driver.topologyKeys, known.topologyKeys)
      : !sameValue(driver, known);
  });
  return changed ? [invalid(since("1.33") ? "spec.drivers" : "CSINodeDriver", drivers, "field is immutable")] : [];
}
