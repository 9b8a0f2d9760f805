/** The spec of a slice: a driver's devices of one pool, and who can use them. */

import {
  bool,
  elided,
  int64,
  list,
  optional,
  printed,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { NodeSelector } from "../../core/v1/pod/scheduling.ts";
import { CounterSet, Device } from "./device.ts";
import { driverName } from "./device-selector.ts";
import { validateFullName, validatePoolName } from "./names.ts";
import { skippedOperations } from "./skipped-operations.ts";

const devicesMax = 128;
const counterSetsMax = 8;

const ResourcePool = struct("resource.v1.ResourcePool", {
  name: string()
    .at(1)
    .required()
    .checked(validatePoolName)
    .immutable()
    .doc("The name of the pool, often that of a node; parts may be separated by slashes."),
  generation: int64().at(2).atLeast(0).doc("Grows when the driver changes the pool; older slices are ignored."),
  resourceSliceCount: int64()
    .at(3)
    .atLeast(1, "must be greater than 0")
    .doc("How many slices the pool has in this generation."),
});

export const ResourceSliceSpec = struct("resource.v1.ResourceSliceSpec", {
  driver: driverName().at(1).immutable().doc("The driver of the devices; cannot be changed."),
  pool: ResourcePool.at(2).doc("The pool that the slice belongs to."),
  nodeName: optional(string())
    .at(3)
    .named("subdomain")
    .immutable()
    .doc("The node that can use the devices; cannot be changed."),
  nodeSelector: optional(NodeSelector).at(4).doc("The nodes that can use the devices; one term."),
  allNodes: optional(bool()).at(5).doc("Whether all nodes can use the devices."),
  devices: elided(list(Device, { topology: "atomic" }))
    .at(6)
    .before("1.35", (devices) => printed(devices.listed(false)))
    .max(devicesMax)
    .uniqueBy("name", { isItemReported: true })
    .doc("The devices, at most 128."),
  perDeviceNodeSelection: optional(bool())
    .at(7)
    .behind("DRAPartitionableDevices")
    .doc("Whether each device names its nodes; needs the feature gate DRAPartitionableDevices."),
  sharedCounters: elided(list(CounterSet, { topology: "atomic" }))
    .at(8)
    .max(counterSetsMax)
    .uniqueBy("name", { isItemReported: true })
    .behind("DRAPartitionableDevices")
    .doc("Counters that devices share; needs the feature gate DRAPartitionableDevices."),
  partitionTypeAttribute: optional(string())
    .at(9)
    .since("1.37")
    .checked(validateFullName)
    .behind("DRAPartitionableDevicesType")
    .doc("The attribute that tells the types of partitions apart."),
  skipNodeOperations: skippedOperations().at(10),
});
export type ResourceSliceSpec = Static<typeof ResourceSliceSpec>;
