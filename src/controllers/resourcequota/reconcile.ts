/** How much of a quota is used: adds up what objects use, and says what its status must be. */

import type { ScopedResourceSelectorRequirement } from "../../api/core/v1/pod/scheduling.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/core/v1/resource-quota.ts";
import { type Amounts, addTo, multiplied, quantityOf, takeFrom, zero } from "../../api/quota/amounts.ts";
import type { AnyObject } from "../../client/contract.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from "../../machinery/values/quantity.ts";

/** Objects that use the same and are in the same scopes: one of them, and how many there are. */
export interface Group {
  readonly object: AnyObject;
  readonly count: number;
}

/** Objects of one sort, and what each of them uses. */
export interface Counted {
  counts(name: string): boolean;
  readonly groups: readonly Group[];
  usage(object: AnyObject): Amounts;
  /** Absent: these objects are in no scope. */
  isInScope?(scope: ScopedResourceSelectorRequirement, object: AnyObject): boolean;
}

/** How far the count may be trusted where it is lower than the status. */
export interface Lowering {
  /** What objects have given back since the status was last written. */
  readonly freed: Amounts;
  /** Whether the quota has not changed for so long that no creation which it was charged for can be under way. */
  readonly isSettled: boolean;
}

/**
 * The status as it should be; undefined: it is so already.
 *
 * A creation is charged before its object is stored, so the status may rightly say more than what can be counted now. Lowering
 * it to the count would let others take the same again:
 *
 *     used 3, counted 2                 a creation is under way: 3 stays, until the quota is settled
 *     used 3, counted 1, freed 1        one was deleted, one creation is under way: 2
 *
 * A change of the limits is counted at once, as in v1.21.
 */
export function nextStatus(
  quota: ResourceQuota,
  counted: readonly Counted[],
  lowering: Lowering,
): ResourceQuotaStatus | undefined {
  const hard = quota.spec?.hard ?? {};
  const known = quota.status ?? {};
  const isTrusted = lowering.isSettled || !sameAmounts(known.hard ?? {}, hard);
  const used = isTrusted ? usedOf(quota, counted) : notBelow(usedOf(quota, counted), known.used ?? {}, lowering.freed);
  if (sameAmounts(known.hard ?? {}, hard) && sameAmounts(known.used ?? {}, used)) return undefined;
  return { hard: { ...hard }, used };
}

function usedOf(quota: ResourceQuota, counted: readonly Counted[]): Record<string, string> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const used = new Map<string, Quantity>();
  for (const { counts, groups, usage, isInScope } of counted) {
    const own = names.filter((name) => counts(name));
    if (own.length === 0) continue;
    const sum = new Map<string, Quantity>();
    for (const { object, count } of groups) {
      if (scopesOf(quota).every((scope) => isInScope?.(scope, object) ?? false))
        addTo(sum, multiplied(usage(object), count));
    }
    for (const name of own) used.set(name, sum.get(name) ?? zero);
  }
  return Object.fromEntries([...used].map(([name, amount]) => [name, amount.text]));
}

function notBelow(
  counts: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
  freed: Amounts,
): Record<string, string> {
  const used = Object.entries(counts).map(([name, text]) => {
    const stated = parseQuantity(known[name] ?? "");
    if (stated === undefined) return [name, text];
    const least = subtractQuantities(stated, freed.get(name) ?? zero);
    return [name, compareQuantities(quantityOf(text), least) < 0 ? least.text : text];
  });
  return Object.fromEntries(used);
}

/** What `quota` gets back when `old` becomes `next`; undefined: it is gone. */
export function freedBy(
  quota: ResourceQuota,
  { usage, isInScope }: Pick<Counted, "usage" | "isInScope">,
  old: AnyObject,
  next: AnyObject | undefined,
): Amounts {
  const isCounted = (object: AnyObject) => scopesOf(quota).every((scope) => isInScope?.(scope, object) ?? false);
  const freed = new Map(isCounted(old) ? usage(old) : []);
  if (next !== undefined && isCounted(next)) takeFrom(freed, usage(next));
  return new Map([...freed].filter(([, { nano }]) => nano > 0n));
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
