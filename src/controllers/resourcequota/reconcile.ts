/** How much of a quota is used: adds up what objects use, and says what its status must be. */

import type { ScopedResourceSelectorRequirement } from "../../api/core/v1/pod/scheduling.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/core/v1/resource-quota.ts";
import { type Amounts, addTo, zero } from "../../api/quota/amounts.ts";
import type { AnyObject } from "../../client/contract.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";

/** Objects of one sort, and what each of them uses. */
export interface Counted {
  counts(name: string): boolean;
  readonly objects: readonly AnyObject[];
  usage(object: AnyObject): Amounts;
  /** Absent: these objects are in no scope. */
  isInScope?(scope: ScopedResourceSelectorRequirement, object: AnyObject): boolean;
}

/** The status as it should be; undefined: it is so already. */
export function nextStatus(quota: ResourceQuota, counted: readonly Counted[]): ResourceQuotaStatus | undefined {
  const hard = quota.spec?.hard ?? {};
  const used = usedOf(quota, counted);
  const known = quota.status ?? {};
  if (sameAmounts(known.hard ?? {}, hard) && sameAmounts(known.used ?? {}, used)) return undefined;
  return { hard: { ...hard }, used };
}

function usedOf(quota: ResourceQuota, counted: readonly Counted[]): Record<string, string> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const used = new Map<string, Quantity>();
  for (const { counts, objects, usage, isInScope } of counted) {
    const own = names.filter((name) => counts(name));
    if (own.length === 0) continue;
    const sum = new Map<string, Quantity>();
    for (const object of objects) {
      if (scopesOf(quota).every((scope) => isInScope?.(scope, object) ?? false)) addTo(sum, usage(object));
    }
    for (const name of own) used.set(name, sum.get(name) ?? zero);
  }
  return Object.fromEntries([...used].map(([name, amount]) => [name, amount.text]));
}

function scopesOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** "1000m" and "1" are the same. */
function sameAmounts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [one, two] = [parseQuantity(a[name] ?? ""), parseQuantity(b[name] ?? "")];
    return one !== undefined && two !== undefined && compareQuantities(one, two) === 0;
  });
}
