/** A DeviceTaintRule taints devices, whatever their drivers say about them. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { DeviceTaint } from "./device.ts";
import { driverName } from "./device-selector.ts";
import { validatePoolName } from "./names.ts";
import { stampTaints } from "./taint-times.ts";

const conditionsMax = 8;

const DeviceTaintSelector = struct("resource.v1.DeviceTaintSelector", {
  driver: optional(driverName()).at(2).doc("The driver of the devices. Absent: any."),
  pool: optional(string()).at(3).checked(validatePoolName).doc("The pool of the devices. Absent: any."),
  device: optional(string()).at(4).named("label").doc("The name of the device in its pool. Absent: any."),
});

const DeviceTaintRuleSpec = struct("resource.v1.DeviceTaintRuleSpec", {
  deviceSelector: optional(DeviceTaintSelector).at(1).doc("Which devices are tainted. Empty: all; absent: none."),
  taint: elided(DeviceTaint).listed(true).at(2).doc("The taint."),
});

const DeviceTaintRuleStatus = struct("resource.v1.DeviceTaintRuleStatus", {
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .max(conditionsMax)
    .uniqueBy("type")
    .doc("How far the eviction of pods is."),
});

export const DeviceTaintRule = kind({
  group: "resource.orch.io",
  version: "v1",
  since: "1.37",
  kind: "DeviceTaintRule",
  resource: "devicetaintrules",
  scope: "Cluster",
  doc: "A DeviceTaintRule taints devices, whatever their drivers say about them.",
  fields: {
    spec: DeviceTaintRuleSpec.at(2).doc("The devices, and the taint that they get."),
    status: elided(DeviceTaintRuleStatus).at(3).doc("How far the rule is, written by the system."),
  },
  generation: true,
  prepareForCreate: ({ spec }, environment) => stampTaints([spec.taint], environment),
  prepareForUpdate: ({ spec }, _old, environment) => stampTaints([spec.taint], environment),
  columns: (column) => [
    nameColumn,
    column("Key", ({ spec }) => spec.taint?.key),
    column("Value", ({ spec }) => spec.taint?.value ?? ""),
    column("Effect", ({ spec }) => spec.taint?.effect),
    column("TimeAdded", ({ spec }) => spec.taint?.timeAdded ?? ""),
    ageColumn,
  ],
  subresources: [status()],
});
export type DeviceTaintRule = Static<typeof DeviceTaintRule>;
