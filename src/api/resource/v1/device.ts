/** The devices that a slice publishes, with their attributes and capacities. */

import { isDns1123Label } from "../../../machinery/meta/names.ts";
import {
  bool,
  elided,
  int64,
  list,
  map,
  nullable,
  optional,
  quantity,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import {
  each,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  together,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { NodeSelector } from "../../core/v1/pod/scheduling.ts";
import { taintEffects } from "./device-claim.ts";

const attributeBytesMax = 64;
const deviceTaintsMax = 16;
const countersMax = 32;
const counterUsesMax = 2;
const bindingConditionsMax = 4;

/** "1.2.3-beta.1+build": three numbers without leading zeros, then what came before a release and how it was built. */
const semanticVersion =
  /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?$/;

const validateVersion = (text: string, path: string): FieldErrors =>
  together(
    semanticVersion.test(text)
      ? noErrors
      : [invalid(path, text, "must be a version such as 1.2.3, by semver.org 2.0.0")],
    text.length > attributeBytesMax ? [tooLong(path, text, attributeBytesMax)] : noErrors,
  );

const validateCounterNames = (counters: object, path: string): FieldErrors =>
  ofEach(Object.keys(counters), (name) => each(isDns1123Label(name), `${path}[${name}]`, name));

export const DeviceAttribute = struct("resource.v1.DeviceAttribute", {
  int: optional(int64()).at(2).doc("A whole number."),
  bool: optional(bool()).at(3).doc("True or false."),
  string: optional(string()).at(4).max(attributeBytesMax).doc("A text of at most 64 bytes."),
  version: optional(string()).at(5).checked(validateVersion).doc("A semantic version, such as 1.2.3."),
  ints: elided(list(int64(), { topology: "atomic" }))
    .at(6)
    .since("1.36")
    .behind("DRAListTypeAttributes")
    .doc("Several values; needs the feature gate DRAListTypeAttributes."),
  bools: elided(list(bool(), { topology: "atomic" }))
    .at(7)
    .since("1.36")
    .behind("DRAListTypeAttributes")
    .doc("Several values; needs the feature gate DRAListTypeAttributes."),
  strings: elided(list(string(), { topology: "atomic" }))
    .at(8)
    .since("1.36")
    .behind("DRAListTypeAttributes")
    .doc("Several values; needs the feature gate DRAListTypeAttributes."),
  versions: elided(list(string(), { topology: "atomic" }))
    .at(9)
    .since("1.36")
    .behind("DRAListTypeAttributes")
    .doc("Several values; needs the feature gate DRAListTypeAttributes."),
});
export type DeviceAttribute = Static<typeof DeviceAttribute>;

const CapacityRequestPolicyRange = struct("resource.v1.CapacityRequestPolicyRange", {
  min: optional(quantity()).listed(true).at(1).doc("The least amount of a request."),
  max: optional(quantity()).at(2).doc("The largest amount of a request."),
  step: optional(quantity()).at(3).doc("Amounts above min are rounded up to multiples of this."),
});

export const CapacityRequestPolicy = struct("resource.v1.CapacityRequestPolicy", {
  default: nullable(quantity()).listed(false).at(1).doc("The amount of a request that names none."),
  validValues: elided(list(quantity(), { topology: "atomic" }))
    .at(3)
    .doc("The amounts that may be requested, in rising order."),
  validRange: optional(CapacityRequestPolicyRange).at(4).doc("The range of amounts that may be requested."),
});

export type CapacityRequestPolicy = Static<typeof CapacityRequestPolicy>;

const DeviceCapacity = struct("resource.v1.DeviceCapacity", {
  value: quantity().at(1).doc("How much the device has."),
  requestPolicy: optional(CapacityRequestPolicy)
    .at(2)
    .behind("DRAConsumableCapacity")
    .doc("How shares of it may be requested; needs the feature gate DRAConsumableCapacity."),
});

const Counter = struct("resource.v1.Counter", { value: quantity().at(1).doc("The amount.") });

export const CounterSet = struct("resource.v1.CounterSet", {
  name: string().at(1).required().named("label").doc("The name of the set, a DNS label."),
  counters: map(Counter)
    .at(2)
    .from("1.34", (counters) => elided(counters.listed(true)))
    .required()
    .max(countersMax)
    .checked(validateCounterNames)
    .doc("The counters of the set, by name."),
});
export type CounterSet = Static<typeof CounterSet>;

const DeviceCounterConsumption = struct("resource.v1.DeviceCounterConsumption", {
  counterSet: string().at(1).required().named("label").doc("The set that is used."),
  counters: map(Counter)
    .at(2)
    .from("1.34", (counters) => elided(counters.listed(true)))
    .required()
    .max(countersMax)
    .checked(validateCounterNames)
    .doc("How much the device uses of each counter."),
  compatibilityGroups: elided(list(string(), { topology: "atomic" }))
    .at(3)
    .since("1.37")
    .behind("DRADeviceCompatibilityGroups")
    .doc("Only devices that share one of these groups use the counters at once."),
});

export const DeviceTaint = struct("resource.v1.DeviceTaint", {
  key: string().at(1).required().named("qualified").doc("The key of the taint."),
  value: elided(string()).at(2).named("labelValue").doc("The value that belongs to the key."),
  effect: string().at(3).required().oneOf(taintEffects).doc("NoSchedule, NoExecute or None."),
  timeAdded: optional(time()).at(4).doc("When the taint was added."),
});

/** Types of conditions of a claim for which the scheduler waits. */
export const conditionTypes = () =>
  elided(list(string().named("qualified").evenEmpty(), { topology: "atomic" }))
    .max(bindingConditionsMax)
    .unique();

const NodeAllocatableResourceMapping = struct("resource.v1.NodeAllocatableResourceMapping", {
  capacityKey: optional(string()).at(1).doc("The capacity of the device that counts. Absent: the device as a whole."),
  allocationMultiplier: optional(quantity()).at(2).doc("How much of the resource one unit stands for. Default: 1."),
});

const NodeAllocatableMapping = struct("resource.v1.NodeAllocatableMapping", {
  capacityKey: optional(string()).at(1).doc("The capacity of the device that counts."),
  capacityMultiplier: optional(quantity()).at(2).doc("How much of the resource one unit of it stands for."),
  deviceMultiplier: optional(quantity()).at(3).doc("How much of the resource the device as a whole stands for."),
});

const NodeAllocatableOverhead = struct("resource.v1.NodeAllocatableOverhead", {
  perPod: optional(quantity()).at(1).doc("How much each pod with the device needs beside."),
  perContainer: optional(quantity()).at(2).doc("How much each container with the device needs beside."),
});

const NodeAllocatableResource = struct("resource.v1.NodeAllocatableResource", {
  mapping: optional(NodeAllocatableMapping).at(3).doc("How much of the resource the device stands for."),
  overhead: optional(NodeAllocatableOverhead).at(4).doc("How much of the resource the device needs beside."),
});

export const Device = struct("resource.v1.Device", {
  name: string().at(1).named("label").evenEmpty().doc("The name of the device, unique in its pool."),
  attributes: elided(map(DeviceAttribute)).at(2).doc("What the device is, by names with or without a domain."),
  capacity: elided(map(DeviceCapacity)).at(3).doc("How much the device has, by names with or without a domain."),
  consumesCounters: elided(list(DeviceCounterConsumption, { topology: "atomic" }))
    .at(4)
    .max(counterUsesMax)
    .uniqueBy("counterSet", { isItemReported: true })
    .behind("DRAPartitionableDevices")
    .doc("What the device uses of shared counters; needs the feature gate DRAPartitionableDevices."),
  nodeName: optional(string())
    .at(5)
    .named("subdomain")
    .behind("DRAPartitionableDevices")
    .doc("The node of the device, where nodes are chosen for each device."),
  nodeSelector: optional(NodeSelector)
    .at(6)
    .behind("DRAPartitionableDevices")
    .doc("The nodes that can use the device."),
  allNodes: optional(bool()).at(7).behind("DRAPartitionableDevices").doc("Whether all nodes can use the device."),
  taints: elided(list(DeviceTaint, { topology: "atomic" }))
    .at(8)
    .max(deviceTaintsMax)
    .behind("DRADeviceTaints")
    .doc("What claims must tolerate; needs the feature gate DRADeviceTaints."),
  bindsToNode: optional(bool())
    .at(9)
    .behind("DRADeviceBindingConditions")
    .doc("Whether an allocation is limited to the node that was chosen."),
  bindingConditions: conditionTypes()
    .at(10)
    .behind("DRADeviceBindingConditions")
    .doc("Conditions that must hold before a pod is bound."),
  bindingFailureConditions: conditionTypes()
    .at(11)
    .behind("DRADeviceBindingConditions")
    .doc("Conditions that mean that a pod cannot be bound."),
  allowMultipleAllocations: optional(bool())
    .at(12)
    .behind("DRAConsumableCapacity")
    .doc("Whether several claims may share the device; needs the feature gate DRAConsumableCapacity."),
  nodeAllocatableResourceMappings: elided(map(NodeAllocatableResourceMapping))
    .at(13)
    .since("1.36")
    .until("1.37")
    .behind("DRANodeAllocatableResources")
    .doc("Resources of the node that the device stands for, by name."),
  nodeAllocatableResources: elided(map(NodeAllocatableResource))
    .at(14)
    .since("1.37")
    .behind("DRANodeAllocatableResources")
    .doc("Resources of the node that the device stands for or needs, by name."),
});
export type Device = Static<typeof Device>;
