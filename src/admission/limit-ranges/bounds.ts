/** Checks requested amounts against the bounds of one item of a limit range. */

import type { LimitRangeItem } from "../../api/core/v1/limit-range-spec.ts";
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
    ...broken(item.min, asked, below, (name) => `minimum ${name} usage per ${item.type} is`),
    ...broken(item.max, asked, upper, (name) => `maximum ${name} usage per ${item.type} is`),
    ...broken(
      isOfClaims ? undefined : item.maxLimitRequestRatio,
      asked,
      tooFarApart,
      (name) => `${name} max limit to request ratio per ${item.type} is`,
    ),
  ];
}

type Given = readonly [request: Quantity | undefined, limit: Quantity | undefined];

function broken(
  bounds: Readonly<Record<string, string>> | undefined,
  asked: Asked,
  isBroken: (bound: Quantity, ...given: Given) => boolean,
  rule: (name: string) => string,
): string[] {
  return Object.entries(bounds ?? {}).flatMap(([name, text]) => {
    const bound = parseQuantity(text);
    const [request, limit] = [asked.request(name), asked.limit(name)];
    if (bound === undefined || !isBroken(bound, request, limit)) return [];
    return [`${rule(name)} ${text}, but request is ${request?.text ?? "none"} and limit is ${limit?.text ?? "none"}`];
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
