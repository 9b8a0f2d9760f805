/** Checks requested amounts against the bounds of one item of a limit range. */

import type { LimitRangeItem } from "../../api/core/v1/limit-range.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";

/** What a container, a pod or a claim requests. Undefined: it does not say. */
export interface Asked {
  request(name: string): Quantity | undefined;
  limit(name: string): Quantity | undefined;
}

/** One, in the finest unit, in which quantities are exact. */
const one = 1_000_000_000n;

/** One sentence for each bound that is broken. */
export function brokenBounds(item: LimitRangeItem, asked: Asked): string[] {
  // A claim has no limits, so its request must not exceed the maximum, and there is no ratio.
  const isOfClaims = item.type === "PersistentVolumeClaim";
  const upper = isOfClaims ? requestAbove : above;
  return [
    ...broken(item.min, asked, (bound, ...given) => (below(bound, ...given) ? "must be at least" : undefined)),
    ...broken(item.max, asked, (bound, ...given) => (upper(bound, ...given) ? "must be at most" : undefined)),
    ...broken(isOfClaims ? undefined : item.maxLimitRequestRatio, asked, (bound, ...given) =>
      tooFarApart(bound, ...given) ? "must have a limit that is, times the request, at most" : undefined,
    ),
  ].map((problem) => `${problem} for each ${item.type}`);
}

type Given = readonly [request: Quantity | undefined, limit: Quantity | undefined];

function broken(
  bounds: Readonly<Record<string, string>> | undefined,
  asked: Asked,
  check: (bound: Quantity, ...given: Given) => string | undefined,
): string[] {
  return Object.entries(bounds ?? {}).flatMap(([name, text]) => {
    const bound = parseQuantity(text);
    const [request, limit] = [asked.request(name), asked.limit(name)];
    const problem = bound && check(bound, request, limit);
    if (problem === undefined) return [];
    return [`${name} ${problem} ${text} (request ${request?.text ?? "none"}, limit ${limit?.text ?? "none"})`];
  });
}

/** A limit may be missing: an unlimited amount is not below the minimum. */
function below(least: Quantity, ...[request, limit]: Given): boolean {
  if (request === undefined || compareQuantities(request, least) < 0) return true;
  return limit !== undefined && compareQuantities(limit, least) < 0;
}

/** A missing limit could be any amount, so it exceeds the maximum. */
function above(most: Quantity, ...[request, limit]: Given): boolean {
  if (limit === undefined || compareQuantities(limit, most) > 0) return true;
  return request !== undefined && compareQuantities(request, most) > 0;
}

function requestAbove(most: Quantity, ...[request]: Given): boolean {
  return request === undefined || compareQuantities(request, most) > 0;
}

function tooFarApart(most: Quantity, ...[request, limit]: Given): boolean {
  if (!request?.nano || !limit?.nano) return true;
  return limit.nano * one > most.nano * request.nano;
}
