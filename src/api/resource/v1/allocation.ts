/** The status of a claim: which devices it got, for whom they are reserved, and what their drivers report. */

import { formatIp } from "../../../base/ip-address.ts";
import {
  bool,
  elided,
  json,
  list,
  map,
  optional,
  quantity,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { parseOddRange } from "../../address-forms.ts";
import { Condition } from "../../common-fields.ts";
import { NodeSelector } from "../../core/v1/pod/scheduling.ts";
import { repeated } from "../../validation.ts";
import { conditionTypes } from "./device.ts";
import { DeviceToleration, requestsMax } from "./device-claim.ts";
import { configurationsMax, driverName, opaqueField, validateParameters } from "./device-selector.ts";
import { validatePoolName } from "./names.ts";
import { skippedOperations } from "./skipped-operations.ts";

export const consumersMax = 256;
/** How many devices a claim may get. */
export const devicesMax = 32;
const deviceConditionsMax = 8;
const addressesMax = 16;
const interfaceNameCharsMax = 256;
const hardwareAddressCharsMax = 128;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isLowerUuid = (text: string): readonly string[] =>
  uuidForm.test(text) ? [] : ["must be a UUID in lower case, such as 123e4567-e89b-12d3-a456-426614174000"];

const poolName = () => string().required().checked(validatePoolName);
const deviceName = () => string().named("label").evenEmpty();

export const DeviceRequestAllocationResult = struct("resource.v1.DeviceRequestAllocationResult", {
  request: string().at(1).doc("The request that the device is for, or request/alternative."),
  driver: driverName().at(2).doc("The driver of the device."),
  pool: poolName().at(3).doc("The pool of the device."),
  device: deviceName().at(4).doc("The name of the device in its pool."),
  adminAccess: optional(bool()).at(5).doc("Whether the device is used for maintenance."),
  tolerations: elided(list(DeviceToleration, { topology: "atomic" }))
    .at(6)
    .behind("DRADeviceTaints")
    .doc("The tolerations of the request; needs the feature gate DRADeviceTaints."),
  bindingConditions: conditionTypes()
    .at(7)
    .behind("DRADeviceBindingConditions")
    .doc("Conditions that must hold before the pod is bound."),
  bindingFailureConditions: conditionTypes()
    .at(8)
    .behind("DRADeviceBindingConditions")
    .doc("Conditions that mean that the pod cannot be bound."),
  shareID: optional(string())
    .at(9)
    .named(isLowerUuid)
    .behind("DRAConsumableCapacity")
    .doc("The share of a device that is allocated several times."),
  consumedCapacity: elided(map(quantity()))
    .at(10)
    .behind("DRAConsumableCapacity")
    .doc("How much of each capacity the share uses."),
  skipNodeOperations: skippedOperations().at(11),
});

const DeviceAllocationConfiguration = struct(
  "resource.v1.DeviceAllocationConfiguration",
  {
    source: string()
      .at(1)
      .required()
      .oneOf(["FromClaim", "FromClass"])
      .before("1.35", (source) => source.openApiEnum("none"))
      .doc("Where it comes from: FromClaim or FromClass."),
    requests: elided(list(string(), { topology: "atomic" }))
      .at(2)
      .max(requestsMax)
      .unique()
      .doc("The requests that it is for. Empty: all requests."),
    opaque: opaqueField(),
  },
  { inline: { deviceConfiguration: 3 } },
);

const DeviceAllocationResult = struct("resource.v1.DeviceAllocationResult", {
  results: elided(list(DeviceRequestAllocationResult, { topology: "atomic" }))
    .at(1)
    .max(devicesMax)
    .doc("The devices that were allocated."),
  config: elided(list(DeviceAllocationConfiguration, { topology: "atomic" }))
    .at(2)
    .max(2 * configurationsMax)
    .doc("The configuration of classes and claim at the time of the allocation."),
});

export const AllocationResult = struct("resource.v1.AllocationResult", {
  devices: elided(DeviceAllocationResult).at(1).doc("The devices and their configuration."),
  nodeSelector: optional(NodeSelector).at(3).doc("Where the devices can be used. Absent: on all nodes."),
  allocationTimestamp: optional(time())
    .at(5)
    .behind("DRADeviceBindingConditions")
    .doc("When the devices were allocated; needs the feature gate DRADeviceBindingConditions."),
});
export type AllocationResult = Static<typeof AllocationResult>;

const ResourceClaimConsumerReference = struct("resource.v1.ResourceClaimConsumerReference", {
  apiGroup: elided(string()).at(1).doc("The group of the consumer. Empty: the core group."),
  resource: string().at(3).required().doc("The resource of the consumer, such as pods."),
  name: string().at(4).required().doc("The name of the consumer."),
  uid: string().at(5).required().doc("The uid of the consumer."),
});

/** An address and the length of its prefix, in its usual form. */
function validateInterfaceAddress(text: string, path: string): FieldErrors {
  const range = parseOddRange(text);
  if (range === undefined) return [invalid(path, text, "must be an address and a prefix, such as 10.9.8.7/24")];
  const usual = `${formatIp(range.address)}/${range.prefix}`;
  return text === usual ? noErrors : [invalid(path, text, `must be in canonical form ("${usual}")`)];
}

/** What is absent is checked as an empty text where empty values are. */
const isAbsent = (data: unknown): boolean => data === undefined || data === null || data === "";

const NetworkDeviceData = struct("resource.v1.NetworkDeviceData", {
  interfaceName: elided(string()).at(1).max(interfaceNameCharsMax).doc("The name of the network interface."),
  ips: elided(list(string().checked(validateInterfaceAddress), { topology: "atomic" }))
    .at(2)
    .max(addressesMax)
    .unique()
    .doc("Addresses of the interface, each with the length of its prefix."),
  hardwareAddress: elided(string()).at(3).max(hardwareAddressCharsMax).doc("The hardware address of the interface."),
});

const AllocatedDeviceStatus = struct("resource.v1.AllocatedDeviceStatus", {
  driver: driverName().at(1).doc("The driver of the device."),
  pool: poolName().at(2).doc("The pool of the device."),
  device: deviceName().at(3).doc("The name of the device in its pool."),
  conditions: list(Condition, { topology: "map", keys: ["type"] })
    .listed(false)
    .at(4)
    .max(deviceConditionsMax)
    .uniqueBy("type")
    .doc("The state of the device, one entry for each condition type."),
  data: optional(json())
    .at(5)
    .checked((data, path) => (isAbsent(data) ? noErrors : validateParameters(data, path)))
    .evenEmpty()
    .doc("What the driver tells about the device, at most 10 KiB."),
  networkData: optional(NetworkDeviceData).at(6).doc("What is known of a network device."),
  shareID: optional(string())
    .at(7)
    .named(isLowerUuid)
    .behind("DRAConsumableCapacity")
    .doc("The share of a device that is allocated several times."),
});
type AllocatedDeviceStatus = Static<typeof AllocatedDeviceStatus>;

export const ResourceClaimStatus = struct("resource.v1.ResourceClaimStatus", {
  allocation: optional(AllocationResult).at(1).doc("What was allocated. Absent: nothing yet."),
  reservedFor: elided(
    list(ResourceClaimConsumerReference, {
      topology: "map",
      keys: ["uid"],
      patchStrategy: "merge",
      patchMergeKey: "uid",
    }),
  )
    .at(2)
    .max(consumersMax)
    .uniqueBy("uid", { isItemReported: true })
    .doc("Who may use the devices now, at most 256."),
  devices: elided(list(AllocatedDeviceStatus, { topology: "map", keys: ["driver", "device", "pool", "shareID"] }))
    .at(4)
    .checked(repeated((device: AllocatedDeviceStatus) => deviceKey(device)))
    .behind("DRAResourceClaimDeviceStatus")
    .doc("What drivers report about the allocated devices."),
});
export type ResourceClaimStatus = Static<typeof ResourceClaimStatus>;

type DeviceId = Pick<AllocatedDeviceStatus, "driver" | "pool" | "device" | "shareID">;

export const deviceKey = ({ driver, pool, device, shareID }: DeviceId): string =>
  [driver, pool, device, shareID ?? ""].join("/");
