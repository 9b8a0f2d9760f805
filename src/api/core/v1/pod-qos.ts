/** The quality of service a pod gets from what its containers ask for. */

import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../../../machinery/values/quantity.ts";
import type { PodSpec } from "./pod-spec.ts";

/** Guaranteed: every container is limited in both, and together they ask for all of it. */
export function qosClass(spec: PodSpec | undefined): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const limits = new Map<string, Quantity>();
  const requests = new Map<string, Quantity>();
  let allLimited = true;
  for (const { resources } of containers) {
    add(requests, resources?.requests);
    if (add(limits, resources?.limits) < counted.length) allLimited = false;
  }
  if (limits.size + requests.size === 0) return "BestEffort";
  const isMet = counted.every((name) => same(limits.get(name), requests.get(name)));
  return allLimited && isMet ? "Guaranteed" : "Burstable";
}

const counted = ["cpu", "memory"];

/** Adds what is more than nothing to `sums`; answers of how many resources that is. */
function add(sums: Map<string, Quantity>, amounts: Readonly<Record<string, string>> = {}): number {
  let found = 0;
  for (const name of counted) {
    const amount = parseQuantity(amounts[name] ?? "0");
    if (amount === undefined || amount.nano <= 0n) continue;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? amount : addQuantities(sum, amount));
    found += 1;
  }
  return found;
}

const same = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
