/** The order in which objects are loaded, so that what others need exists before them. */

import { isObject } from "../../machinery/json/json-value.ts";
import type { SourcedObject } from "./read-objects.ts";

/** Kinds that are not named come between the two lists. */
const first = [
  "Namespace",
  "CustomResourceDefinition",
  "PriorityClass",
  "StorageClass",
  "RuntimeClass",
  "IngressClass",
  "Node",
  "ServiceAccount",
  "ClusterRole",
  "Role",
  "ClusterRoleBinding",
  "RoleBinding",
  "ResourceQuota",
  "LimitRange",
  "ConfigMap",
  "Secret",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Service",
];
/** What judges other objects comes after them. */
const last = [
  "PodDisruptionBudget",
  "HorizontalPodAutoscaler",
  "APIService",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
];

/** Objects of the same kind stay in their order. */
export function inLoadOrder(objects: readonly SourcedObject[]): SourcedObject[] {
  return [...objects].sort((a, b) => rank(a) - rank(b));
}

function rank({ object }: SourcedObject): number {
  const kind = String(object["kind"]);
  const early = first.indexOf(kind);
  if (early >= 0) return early - first.length;
  const late = last.indexOf(kind);
  if (late >= 0) return late + 2;
  return isOwned(object) ? 1 : 0;
}

/** Its owner is loaded before it: otherwise it would be collected as soon as it exists. */
function isOwned({ metadata }: SourcedObject["object"]): boolean {
  return isObject(metadata) && Array.isArray(metadata["ownerReferences"]);
}
