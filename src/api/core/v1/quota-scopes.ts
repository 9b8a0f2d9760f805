/** Which resources the objects of a quota scope use. */

import { affinityScope, attributesScope } from "./pod/scheduling.ts";
import { isStandardResource } from "./resource-names.ts";
import { notCounted } from "./resource-quota-spec.ts";

const podCounts = new Set(["pods"]);
const podCompute = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);

/** Whether objects that `scope` selects use the resource at all. Resources that no quota knows are not checked against its scopes. */
export function fits(scope: string, name: string): boolean {
  if (!isStandardResource(name) || notCounted.has(name)) return true;
  switch (scope) {
    case "BestEffort":
      return podCounts.has(name);
    case "Terminating":
    case "NotTerminating":
    case "NotBestEffort":
    case "PriorityClass":
    case affinityScope:
      return podCounts.has(name) || podCompute.has(name);
    case attributesScope:
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return true;
  }
}
