/** The quality of service class of a pod, from the resources of its containers. */

import { parseQuantity } from "../../../../machinery/values/quantity.ts";
import type { PodSpec } from "./spec.ts";

/** Guaranteed: every container has limits for both, and requests equal limits. */
export function qosClass(spec: PodSpec | undefined): "Guaranteed" | "Burstable" | "BestEffort" {
  // Resources of the pod as a whole decide where there are some.
  const ofPod = spec?.resources;
  const isOfPod = ofPod?.requests !== undefined || ofPod?.limits !== undefined;
  const containers = isOfPod ? [{ resources: ofPod }] : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const limits = new Map<string, bigint>();
  const requests = new Map<string, bigint>();
  let allLimited = true;
  for (const { resources } of containers) {
    add(requests, resources?.requests);
    if (add(limits, resources?.limits) < counted.length) allLimited = false;
  }
  if (limits.size + requests.size === 0) return "BestEffort";
  const isMet = counted.every((name) => limits.has(name) && limits.get(name) === requests.get(name));
  return allLimited && isMet ? "Guaranteed" : "Burstable";
}

const counted = ["cpu", "memory"];

/** Adds amounts above zero to `sums`, in billionths; returns the number of resources. */
function add(sums: Map<string, bigint>, amounts: Readonly<Record<string, string>> | undefined): number {
  let found = 0;
  for (const name of counted) {
    const text = amounts?.[name];
    const amount = text === undefined ? undefined : parseQuantity(text);
    if (amount === undefined || amount.nano <= 0n) continue;
    sums.set(name, (sums.get(name) ?? 0n) + amount.nano);
    found += 1;
  }
  return found;
}
