/** The quality of service a pod gets from what its containers ask for. */

import { compareAmounts } from "../../amounts.ts";
import type { PodSpec } from "./pod-spec.ts";

export function qosClass(spec: PodSpec | undefined): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  let anything = false;
  let guaranteed = containers.length > 0;
  for (const { resources } of containers) {
    const limits = positive(resources?.limits);
    const requests = positive(resources?.requests);
    anything ||= limits.size + requests.size > 0;
    if (!limits.has("cpu") || !limits.has("memory")) guaranteed = false;
    for (const [name, amount] of requests) {
      const limit = limits.get(name);
      if (limit === undefined || compareAmounts(limit, amount) !== 0) guaranteed = false;
    }
  }
  if (!anything) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

/** Only cpu and memory count, and only what is more than nothing. */
function positive(amounts: Record<string, string> | undefined): Map<string, string> {
  const entries = Object.entries(amounts ?? {});
  return new Map(
    entries.filter(([name, amount]) => (name === "cpu" || name === "memory") && compareAmounts(amount, "0") > 0),
  );
}
