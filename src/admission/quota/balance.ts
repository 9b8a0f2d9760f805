/** Whether additional usage fits into a quota, and the status of the quota afterwards. */

import type { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import type { ResourceQuotaStatus } from "../../api/core/v1/resource-quota-spec.ts";
import { type Amounts, zero } from "../../api/quota/amounts.ts";
import {
  addQuantities,
  compareQuantities,
  type Quantity,
  quantityOf,
  subtractQuantities,
} from "../../machinery/values/quantity.ts";

/** Whether a resource is limited: only limits in the status count, as in v1.21. */
export function isLimited({ status }: ResourceQuota, name: string): boolean {
  return Object.hasOwn(status?.hard ?? {}, name);
}

const unknownUses = new WeakMap<ResourceQuotaStatus, readonly string[]>();

/**
 * Limited resources whose usage has not been counted yet; nothing can be added to them. Found once for each status, which does not change:
 * hundreds of pods are compared with the same quotas, which may limit thousands of names.
 */
export function unknownUse({ status }: ResourceQuota): readonly string[] {
  if (status === undefined) return [];
  let unknown = unknownUses.get(status);
  if (unknown === undefined) {
    const { hard = {}, used = {} } = status;
    unknown = Object.keys(hard).filter((name) => !Object.hasOwn(used, name));
    unknownUses.set(status, unknown);
  }
  return unknown;
}

/** The part of `amounts` that the quota limits. Iterates over the amounts, which are few, whatever the number of limits. */
export function limitedPart(quota: ResourceQuota, amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([name]) => isLimited(quota, name)));
}

/** One sentence for each exceeded limit. */
export interface Excess {
  readonly name: string;
  readonly requested: string;
  readonly used: string;
  readonly limited: string;
}

export function excess(quota: ResourceQuota, delta: Amounts): Excess[] {
  return [...limitedPart(quota, delta)].flatMap(([name, amount]) => {
    const used = usedOf(quota, name);
    const hard = amountIn(quota.status?.hard, name);
    if (compareQuantities(addQuantities(used, amount), hard) <= 0) return [];
    return [{ name, requested: amount.text, used: used.text, limited: hard.text }];
  });
}

/** The status after `delta` is charged or refunded. */
export function statusAfter(quota: ResourceQuota, delta: Amounts, way: "use" | "give back"): ResourceQuotaStatus {
  const used = new Map(Object.entries(quota.status?.used ?? {}));
  const join = way === "use" ? addQuantities : subtractQuantities;
  for (const [name, amount] of limitedPart(quota, delta)) used.set(name, join(usedOf(quota, name), amount).text);
  return { ...quota.status, used: Object.fromEntries(used) };
}

const usedOf = ({ status }: ResourceQuota, name: string): Quantity => amountIn(status?.used, name);

function amountIn(record: Readonly<Record<string, string>> | undefined, name: string): Quantity {
  const text = record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
  return text === undefined ? zero : quantityOf(text);
}
