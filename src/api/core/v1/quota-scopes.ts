/** Which resources the objects of a quota scope use. */

import { isStandardResource } from "../../resource-names.ts";
import { affinityScope, attributesScope } from "./pod/scheduling.ts";
import { notCounted } from "./resource-quota-spec.ts";

const podCounts = new Set(["pods"]);
const podCompute = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);

type Uses = (name: string) => boolean;

const usesPods: Uses = (name) => podCounts.has(name);
const usesCompute: Uses = (name) => podCounts.has(name) || podCompute.has(name);
const usesStorage: Uses = (name) => name === "persistentvolumeclaims" || name === "requests.storage";

const usesOf: ReadonlyMap<string, Uses> = new Map([
  ["BestEffort", usesPods],
  ["Terminating", usesCompute],
  ["NotTerminating", usesCompute],
  ["NotBestEffort", usesCompute],
  ["PriorityClass", usesCompute],
  [affinityScope, usesCompute],
  [attributesScope, usesStorage],
]);

/** Those of the resources that objects selected by `scope` never use. Resources that no quota knows are not checked against its scopes. */
export function misfitsOf(scope: string, names: readonly string[]): readonly string[] {
  const uses = usesOf.get(scope);
  if (uses === undefined) return [];
  return names.filter((name) => isStandardResource(name) && !notCounted.has(name) && !uses(name));
}
