/** What a request takes of the capacities of a device: all of it, or the share that its policy makes of the request. */

import type { Device } from "../../api/resource/v1/device.ts";
import { addQuantities, compareAmounts, quantityOf } from "../../machinery/values/quantity.ts";
import { nanoOf } from "./used-devices.ts";

type Capacity = NonNullable<Device["capacity"]>[string];

/** Amounts by the names of the device. Undefined: the device does not have what is wanted. */
export function consumedOf(
  driver: string,
  { capacity = {} }: Device,
  wanted: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> | undefined {
  const names = new Map(Object.keys(capacity).map((name) => [fullName(driver, name), name]));
  const requests = new Map<string, string>();
  for (const [name, amount] of Object.entries(wanted)) {
    const own = names.get(fullName(driver, name));
    if (own === undefined) return undefined;
    requests.set(own, amount);
  }
  const consumed = new Map<string, string>();
  for (const [name, one] of Object.entries(capacity)) {
    const amount = amountOf(one, requests.get(name));
    if (amount === undefined || compareAmounts(amount, one.value) > 0) return undefined;
    consumed.set(name, amount);
  }
  return consumed;
}

/** With the domain of the driver where it has none. */
export const fullName = (driver: string, name: string): string => (name.includes("/") ? name : `${driver}/${name}`);

/** Undefined: no amount that the policy allows is enough. */
function amountOf({ value, requestPolicy: policy }: Capacity, requested: string | undefined): string | undefined {
  if (requested === undefined) return policy?.default ?? value;
  const { validValues = [], validRange } = policy ?? {};
  if (validValues.length > 0) return validValues.find((valid) => compareAmounts(valid, requested) >= 0);
  if (!validRange) return requested;
  const { min = "0", max, step } = validRange;
  if (compareAmounts(requested, min) <= 0) return min;
  const amount = step === undefined ? requested : roundedUp(requested, min, step);
  return max !== undefined && compareAmounts(amount, max) > 0 ? undefined : amount;
}

/** The next of `from` and whole steps above it. */
function roundedUp(amount: string, from: string, step: string): string {
  const [least, size] = [quantityOf(from), nanoOf(step)];
  const above = nanoOf(amount) - least.nano;
  const rest = above % size;
  return rest === 0n ? amount : addQuantities(least, { ...least, nano: above - rest + size }).text;
}
