/** The usage of a claim for devices: one claim, and its devices by their class. */

import type { Environment } from "../../machinery/schema/environment.ts";
import { type Quantity, quantityOf } from "../../machinery/values/quantity.ts";
import { devicesMax } from "../resource/v1/allocation.ts";
import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from "../resource/v1/device-claim.ts";
import type { ResourceClaim } from "../resource/v1/resource-claim.ts";
import { oneOf } from "./amounts.ts";
import type { Meter } from "./meter.ts";

export function createDeviceClaimMeter({ vocabulary }: Environment): Meter<ResourceClaim> {
  const claims = `count/resourceclaims.${vocabulary.group("resource.orch.io")}`;
  // "gpu.deviceclass.resource.orch.io/devices"
  const suffix = vocabulary.word(".deviceclass.resource.orch.io/devices");
  return {
    onUpdate: false,
    counts: (name) => name === claims || name.endsWith(suffix),
    usage({ spec }) {
      const usage = new Map<string, Quantity>([[claims, oneOf]]);
      for (const [name, count] of devicesByClass(spec.devices?.requests ?? []))
        usage.set(name + suffix, quantityOf(String(count)));
      return usage;
    },
  };
}

function devicesByClass(requests: readonly DeviceRequest[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const request of requests)
    for (const [name, count] of worstCase(request)) all.set(name, (all.get(name) ?? 0) + count);
  return all;
}

/** Which of the alternatives a scheduler will choose is not known yet: of each class the largest number counts. */
function worstCase({ exactly, firstAvailable = [] }: DeviceRequest): Map<string, number> {
  const most = new Map<string, number>();
  for (const choice of exactly ? [exactly] : firstAvailable) {
    const name = choice.deviceClassName;
    most.set(name, Math.max(most.get(name) ?? 0, devicesOf(choice)));
  }
  return most;
}

/** A request for all devices may get as many as a claim can have. */
const devicesOf = ({ allocationMode, count = 0 }: ExactDeviceRequest | DeviceSubRequest): number =>
  allocationMode === "All" ? devicesMax : Number(count);
