/** Adds up the usage of objects, and computes the status of a quota. */

import type { ScopedResourceSelectorRequirement } from "../../api/core/v1/pod/scheduling.ts";
import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import type { ResourceQuotaStatus } from "../../api/core/v1/resource-quota-spec.ts";
import { type Amounts, addTo, multiplied, takeFrom, zero } from "../../api/quota/amounts.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { AnyObject } from "../../client/contract.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
} from "../../machinery/values/quantity.ts";
import { type Plan, updateStatus } from "../plan.ts";
import type { QuotaMemory } from "./memory.ts";

/** Objects that use the same and are in the same scopes: one of them, and how many there are. */
export interface Group {
  readonly object: AnyObject;
  readonly count: number;
}

/** Equal objects, and the usage of each. */
export interface Counted {
  counts(name: string): boolean;
  /** Read one by one, each when it is counted. Undefined: its objects have changed since the count began. */
  readonly groups: Iterable<Group | undefined>;
  usage(object: AnyObject): Amounts;
  /** Absent: these objects are in no scope. */
  isInScope?(scope: ScopedResourceSelectorRequirement, object: AnyObject): boolean;
  /**
   * What other quotas have added up of these very groups, by their scopes: a namespace may have hundreds of quotas, and its objects are
   * added up once for all that have the same scopes. Absent: nothing is shared.
   */
  readonly sums?: Map<string, Amounts>;
}

/** How far the count may be trusted where it is lower than the status. */
interface Lowering {
  /** The usage that objects have released since the status was last written. */
  readonly freed: Amounts;
  /** Whether the quota has been unchanged for so long that no charged create can be in progress. */
  readonly isStable: boolean;
}

/** In steps: a namespace may have a thousand pods of a thousand containers each, and no two alike. */
export function* planQuota(
  key: string,
  quota: ResourceQuota,
  counted: readonly Counted[],
  memory: QuotaMemory,
): Steps<Plan> {
  const freed = memory.freed(key);
  const restMs = memory.stableInMs(key);
  const status = yield* nextStatus(quota, counted, { freed, isStable: restMs <= 0 });
  // The rest of what is used too much, by creations that failed, is credited when the quota is stable.
  const rest = restMs > 0 ? { reviewInMs: restMs } : {};
  if (status === undefined) return rest;
  return {
    status: updateStatus(ResourceQuota, { ...quota, status }, { tolerates: ["NotFound"] }),
    next() {
      memory.takeFreed(key, freed);
      return rest;
    },
  };
}

/**
 * The desired status; undefined: nothing changes.
 *
 * A create is charged before its object is stored, so the status may correctly be higher than the count. Lowering it to the
 * count would let others use the same amount again:
 *
 *     used 3, counted 2                 a create is in progress: 3 stays, until the quota is stable
 *     used 3, counted 1, freed 1        one was deleted, one create is in progress: 2
 *
 * A change of the limits is counted at once, as in v1.21.
 */
export function* nextStatus(
  quota: ResourceQuota,
  counted: readonly Counted[],
  lowering: Lowering,
): Steps<ResourceQuotaStatus | undefined> {
  const hard = quota.spec?.hard ?? {};
  const known = quota.status ?? {};
  const { sums, isWhole } = yield* usedOf(quota, counted);
  const isTrusted = isWhole && (lowering.isStable || !sameAmounts(known.hard ?? {}, hard));
  const used = isTrusted ? sums : notBelow(sums, known.used ?? {}, lowering.freed);
  if (sameAmounts(known.hard ?? {}, hard) && sameAmounts(known.used ?? {}, used)) return undefined;
  return { hard: { ...hard }, used };
}

/** `isWhole`: nothing changed meanwhile that may be missing. The change counts again. */
function* usedOf(
  quota: ResourceQuota,
  counted: readonly Counted[],
): Steps<{ readonly sums: Record<string, string>; readonly isWhole: boolean }> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  const used = new Map<string, Quantity>();
  let isWhole = true;
  const scopeText = JSON.stringify(scopes);
  for (const one of counted) {
    const own = names.filter((name) => one.counts(name));
    if (own.length === 0) continue;
    const known = one.sums?.get(scopeText);
    const sum = known === undefined ? yield* sumOf(one, scopes) : { amounts: known, isWhole: true };
    if (sum.isWhole) one.sums?.set(scopeText, sum.amounts);
    else isWhole = false;
    for (const name of own) used.set(name, sum.amounts.get(name) ?? zero);
  }
  return { sums: Object.fromEntries([...used].map(([name, amount]) => [name, amount.text])), isWhole };
}

function* sumOf(
  { groups, usage, isInScope }: Counted,
  scopes: readonly ScopedResourceSelectorRequirement[],
): Steps<{ readonly amounts: Amounts; readonly isWhole: boolean }> {
  const amounts = new Map<string, Quantity>();
  let isWhole = true;
  for (const group of groups) {
    if (group === undefined) isWhole = false;
    else if (scopes.every((scope) => isInScope?.(scope, group.object) ?? false))
      addTo(amounts, multiplied(usage(group.object), group.count));
    yield;
  }
  return { amounts, isWhole };
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

/**
 * What quotas are credited when `old` becomes `next`; undefined: it was deleted. What the object uses is computed once for all of them:
 * a thousand quotas may ask, about a pod of a thousand containers.
 */
export function freedBy(
  { usage, isInScope }: Pick<Counted, "usage" | "isInScope">,
  old: AnyObject,
  next: AnyObject | undefined,
): (quota: ResourceQuota) => Amounts {
  const before = once(old);
  const after = next && once(next);
  return (quota) => {
    const scopes = scopesOf(quota);
    const freed = new Map(scopes.every(before.isIn) ? before.usage() : []);
    if (after !== undefined && scopes.every(after.isIn)) takeFrom(freed, after.usage());
    return new Map([...freed].filter(([, { nano }]) => nano > 0n));
  };

  function once(object: AnyObject) {
    let used: Amounts | undefined;
    const plain = new Map<string, boolean>();
    const isIn = (scope: ScopedResourceSelectorRequirement): boolean => {
      if (scope.values !== undefined) return isInScope?.(scope, object) ?? false;
      const name = `${scope.scopeName} ${scope.operator}`;
      const known = plain.get(name) ?? isInScope?.(scope, object) ?? false;
      plain.set(name, known);
      return known;
    };
    return {
      isIn,
      usage() {
        used ??= usage(object);
        return used;
      },
    };
  }
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
