/** What a claim asks for: requests for devices, constraints between them, and configuration. */

import { since } from "../../../base/release.ts";
import {
  bool,
  elided,
  int64,
  list,
  map,
  optional,
  printed,
  quantity,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { configurationsMax, opaqueField, selectorList } from "./device-selector.ts";
import { validateFullName } from "./names.ts";

export const requestsMax = 32;
const constraintsMax = 32;
const alternativesMax = 8;
const exactCount = "ExactCount";
export const taintEffects = ["NoExecute", "NoSchedule", since("1.35", "None")];

export const DeviceToleration = struct("resource.v1.DeviceToleration", {
  key: elided(string()).at(1).named("qualified").doc("The key of the taint. Empty: every taint."),
  operator: elided(string())
    .at(2)
    .required()
    .oneOf(["Equal", "Exists"])
    .openApiDefault("Equal")
    .doc("Equal compares the value, Exists accepts any. Default: Equal."),
  value: elided(string()).at(3).doc("The value of the taint; not with Exists."),
  effect: elided(string()).at(4).oneOf(taintEffects).doc("NoSchedule, NoExecute or None. Empty: every effect."),
  tolerationSeconds: optional(int64()).at(5).doc("Seconds until a pod is evicted; only with NoExecute. Absent: never."),
});
export type DeviceToleration = Static<typeof DeviceToleration>;

const CapacityRequirements = struct("resource.v1.CapacityRequirements", {
  requests: elided(map(quantity())).at(1).doc("How much of each capacity of a device is needed."),
});

/** A count belongs to the mode ExactCount. */
function countOne(request: { allocationMode?: string; count?: number }): void {
  request.allocationMode ||= exactCount;
  if (request.allocationMode === exactCount) request.count ||= 1;
}

const tolerations = () =>
  elided(list(DeviceToleration, { topology: "atomic" }))
    .behind("DRADeviceTaints")
    .doc("Taints of devices that are accepted; needs the feature gate DRADeviceTaints.");
const capacity = () =>
  optional(CapacityRequirements)
    .behind("DRAConsumableCapacity")
    .doc("What is needed of shared devices; needs the feature gate DRAConsumableCapacity.");
const deviceClassName = () => string().required().named("subdomain").doc("The class of the devices. Required.");
const selectors = () => elided(selectorList()).doc("Further selectors; a device must match all of them.");
const allocationMode = () =>
  elided(string())
    .oneOf(["All", "ExactCount"])
    .before("1.35", (mode) => mode.openApiEnum("none"))
    .doc("ExactCount for a number of devices, or All that match. Default: ExactCount.");
const count = () => elided(int64()).doc("How many devices; only with ExactCount. Default: 1.");

const DeviceDerivedAttribute = struct("resource.v1.DeviceDerivedAttribute", {
  name: string().at(1).required().checked(validateFullName).doc("The name of the attribute, with its domain."),
  expression: string().at(2).required().doc("A CEL expression over the device that gives the value."),
});
const derivedAttributes = () =>
  elided(list(DeviceDerivedAttribute, { topology: "atomic" }))
    .since("1.37")
    .behind("DRADerivedAttributes")
    .doc("Attributes that are computed for this request; needs the feature gate DRADerivedAttributes.");

export const ExactDeviceRequest = struct(
  "resource.v1.ExactDeviceRequest",
  {
    deviceClassName: deviceClassName().at(1),
    selectors: selectors().at(2),
    allocationMode: allocationMode().at(3),
    count: count().at(4),
    adminAccess: optional(bool())
      .at(5)
      .behind("DRAAdminAccess")
      .doc("Whether devices are used for maintenance while others use them; only in namespaces that allow it."),
    tolerations: tolerations().at(6),
    capacity: capacity().at(7),
    derivedAttributes: derivedAttributes().at(8),
  },
  { defaults: countOne },
);
export type ExactDeviceRequest = Static<typeof ExactDeviceRequest>;

export const DeviceSubRequest = struct(
  "resource.v1.DeviceSubRequest",
  {
    name: string().at(1).named("label").evenEmpty().doc("The name of the alternative, a DNS label."),
    deviceClassName: deviceClassName().at(2),
    selectors: selectors().at(3),
    allocationMode: allocationMode().at(4),
    count: count().at(5),
    tolerations: tolerations().at(6),
    capacity: capacity().at(7),
    derivedAttributes: derivedAttributes().at(8),
  },
  { defaults: countOne },
);
export type DeviceSubRequest = Static<typeof DeviceSubRequest>;

export const DeviceRequest = struct("resource.v1.DeviceRequest", {
  name: string().at(1).named("label").evenEmpty().doc("The name by which the rest of the claim refers to the request."),
  exactly: optional(ExactDeviceRequest).at(2).doc("The one form that the devices must have; excludes firstAvailable."),
  firstAvailable: elided(list(DeviceSubRequest, { topology: "atomic" }))
    .at(3)
    .max(alternativesMax)
    .uniqueBy("name", { isItemReported: true })
    .behind("DRAPrioritizedList")
    .doc("Alternatives, of which the first that can be met counts; excludes exactly."),
});
export type DeviceRequest = Static<typeof DeviceRequest>;

const requestNames = () =>
  elided(list(string(), { topology: "atomic" }))
    .max(requestsMax)
    .unique();

export const DeviceConstraint = struct("resource.v1.DeviceConstraint", {
  requests: requestNames().at(1).doc("The requests whose devices are compared. Empty: all requests."),
  matchAttribute: optional(string())
    .at(2)
    .checked(validateFullName)
    .doc("An attribute, with its domain, in which all devices must agree."),
  distinctAttribute: optional(string())
    .at(3)
    .checked(validateFullName)
    .behind("DRAConsumableCapacity")
    .doc("An attribute in which no two devices may agree; needs the feature gate DRAConsumableCapacity."),
});
export type DeviceConstraint = Static<typeof DeviceConstraint>;

const DeviceClaimConfiguration = struct(
  "resource.v1.DeviceClaimConfiguration",
  {
    requests: requestNames().at(1).doc("The requests that the configuration is for. Empty: all requests."),
    opaque: opaqueField(),
  },
  { inline: { deviceConfiguration: 2 } },
);

export const DeviceClaim = struct("resource.v1.DeviceClaim", {
  requests: list(DeviceRequest, { topology: "atomic" })
    .listed(false)
    .at(1)
    .max(requestsMax)
    .uniqueBy("name", { isItemReported: true })
    .doc("Devices that are needed, all of them. Empty: nothing is allocated."),
  constraints: elided(list(DeviceConstraint, { topology: "atomic" }))
    .at(2)
    .max(constraintsMax)
    .doc("Rules that the devices of several requests must meet together."),
  config: elided(list(DeviceClaimConfiguration, { topology: "atomic" }))
    .at(3)
    .max(configurationsMax)
    .doc("Configuration for drivers, beside that of the classes."),
});
export type DeviceClaim = Static<typeof DeviceClaim>;

export const ResourceClaimSpec = struct("resource.v1.ResourceClaimSpec", {
  devices: elided(DeviceClaim)
    .at(1)
    .from("1.34", (devices) => printed(devices.listed(false)))
    .doc("The devices that are needed."),
});
export type ResourceClaimSpec = Static<typeof ResourceClaimSpec>;
