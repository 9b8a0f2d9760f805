/** Fields of features that are off: they are dropped, unless the object had them before. In place. */

import { copyJson } from "../../../machinery/json/json-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { ResourceClaimStatus } from "./allocation.ts";
import type { DeviceSubRequest, ExactDeviceRequest, ResourceClaimSpec } from "./device-claim.ts";
import type { ResourceSliceSpec } from "./slice-spec.ts";

const requestsOf = (spec: ResourceClaimSpec | undefined): (ExactDeviceRequest | DeviceSubRequest)[] =>
  (spec?.devices?.requests ?? []).flatMap(({ exactly, firstAvailable = [] }) => [
    ...(exactly ? [exactly] : []),
    ...firstAvailable,
  ]);

export function dropClaimFields(
  spec: ResourceClaimSpec,
  old: ResourceClaimSpec | undefined,
  { gates }: Environment,
): void {
  const before = requestsOf(old);
  const requests = requestsOf(spec);
  if (!gates.enabled("DRADeviceTaints") && !before.some((one) => one.tolerations)) {
    for (const request of requests) delete request.tolerations;
  }
  const wasShared =
    before.some((one) => one.capacity) || old?.devices?.constraints?.some((one) => one.distinctAttribute);
  if (!gates.enabled("DRAConsumableCapacity") && !wasShared) {
    for (const request of requests) delete request.capacity;
    for (const constraint of spec.devices?.constraints ?? []) delete constraint.distinctAttribute;
  }
  const hadAlternatives = old?.devices?.requests?.some(({ firstAvailable }) => firstAvailable) ?? false;
  if (!gates.enabled("DRAPrioritizedList") && !hadAlternatives) {
    for (const request of spec.devices?.requests ?? []) delete request.firstAvailable;
  }
  const hadAccess = before.some((one) => "adminAccess" in one);
  if (!gates.enabled("DRAAdminAccess") && !hadAccess) {
    for (const request of requests) if ("adminAccess" in request) delete request.adminAccess;
  }
}

/** Returns the status without them. */
export function dropStatusFields(
  status: ResourceClaimStatus,
  old: ResourceClaimStatus | undefined,
  { gates }: Environment,
): ResourceClaimStatus {
  const next = copyJson(status);
  const before = old?.allocation?.devices?.results ?? [];
  const results = next.allocation?.devices?.results ?? [];
  if (!gates.enabled("DRADeviceTaints") && !before.some((one) => one.tolerations)) {
    for (const result of results) delete result.tolerations;
  }
  if (!gates.enabled("DRADeviceBindingConditions") && !before.some((one) => one.bindingConditions)) {
    for (const result of results) {
      delete result.bindingConditions;
      delete result.bindingFailureConditions;
    }
    if (old?.allocation?.allocationTimestamp === undefined) delete next.allocation?.allocationTimestamp;
  }
  if (!gates.enabled("DRAConsumableCapacity") && !before.some((one) => one.shareID)) {
    for (const result of results) {
      delete result.shareID;
      delete result.consumedCapacity;
    }
    for (const device of next.devices ?? []) delete device.shareID;
  }
  if (!gates.enabled("DRAResourceClaimDeviceStatus") && old?.devices === undefined) delete next.devices;
  return next;
}

export function dropSliceFields(
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
  { gates }: Environment,
): void {
  const [devices, before] = [spec.devices ?? [], old?.devices ?? []];
  if (!gates.enabled("DRADeviceTaints") && !before.some((one) => one.taints)) {
    for (const device of devices) delete device.taints;
  }
  if (!gates.enabled("DRADeviceBindingConditions") && !before.some((one) => one.bindingConditions)) {
    for (const device of devices) {
      delete device.bindsToNode;
      delete device.bindingConditions;
      delete device.bindingFailureConditions;
    }
  }
  const wasShared = before.some((one) => one.allowMultipleAllocations !== undefined);
  if (!gates.enabled("DRAConsumableCapacity") && !wasShared) {
    for (const device of devices) {
      delete device.allowMultipleAllocations;
      for (const capacity of Object.values(device.capacity ?? {})) delete capacity.requestPolicy;
    }
  }
  const wasPartitioned =
    old?.sharedCounters ?? old?.perDeviceNodeSelection ?? before.find((one) => one.consumesCounters);
  if (!gates.enabled("DRAPartitionableDevices") && wasPartitioned === undefined) {
    delete spec.sharedCounters;
    delete spec.perDeviceNodeSelection;
    for (const device of devices) {
      delete device.consumesCounters;
      delete device.nodeName;
      delete device.nodeSelector;
      delete device.allNodes;
    }
  }
}
