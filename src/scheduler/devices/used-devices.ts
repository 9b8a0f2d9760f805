/** Which devices are allocated, by what is known of claims. */

import type { AllocationResult } from "../../api/resource/v1/allocation.ts";
import { parseQuantity } from "../../machinery/values/quantity.ts";
import { deviceId } from "./pools.ts";

type Result = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];

/** Amounts by name, in billionths. */
type DeviceAmounts = ReadonlyMap<string, bigint>;

export const nanoOf = (text: string | undefined): bigint => parseQuantity(text ?? "")?.nano ?? 0n;

export class UsedDevices {
  readonly #byClaim = new Map<string, readonly Result[]>();
  /** How many claims have a device for themselves: one, unless somebody else wrote them. */
  readonly #whole = new Map<string, number>();
  readonly #shares = new Map<string, { count: number; readonly sums: Map<string, bigint> }>();

  /** Undefined: the claim has none. */
  set(claim: string, allocation: AllocationResult | undefined): void {
    for (const result of this.#byClaim.get(claim) ?? []) this.#count(result, -1);
    this.#byClaim.delete(claim);
    // Whoever maintains a device takes it from nobody.
    const results = (allocation?.devices?.results ?? []).filter(({ adminAccess }) => adminAccess !== true);
    if (results.length === 0) return;
    this.#byClaim.set(claim, results);
    for (const result of results) this.#count(result, 1);
  }

  #count({ driver, pool, device, shareID, consumedCapacity }: Result, by: 1 | -1): void {
    const id = deviceId(driver, pool, device);
    if (shareID === undefined) {
      const next = (this.#whole.get(id) ?? 0) + by;
      if (next === 0) this.#whole.delete(id);
      else this.#whole.set(id, next);
      return;
    }
    const shares = this.#shares.get(id) ?? { count: 0, sums: new Map<string, bigint>() };
    shares.count += by;
    if (shares.count === 0) this.#shares.delete(id);
    else this.#shares.set(id, shares);
    for (const [name, amount] of Object.entries(consumedCapacity ?? {}))
      shares.sums.set(name, (shares.sums.get(name) ?? 0n) + BigInt(by) * nanoOf(amount));
  }

  has(id: string): boolean {
    return this.#whole.has(id) || this.#shares.has(id);
  }

  hasWhole(id: string): boolean {
    return this.#whole.has(id);
  }

  /** What is used of the capacities of a device that several claims share. */
  sharesOf(id: string): DeviceAmounts | undefined {
    return this.#shares.get(id)?.sums;
  }
}
