/** The order in which built resources are printed and applied: dependencies come first. */

import { type Json, kindOf, nameOf, namespaceOf, text } from "../json.ts";

const first = [
  "Namespace",
  "ResourceQuota",
  "StorageClass",
  "CustomResourceDefinition",
  "ServiceAccount",
  "PodSecurityPolicy",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Endpoints",
  "Service",
  "LimitRange",
  "PriorityClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Deployment",
  "StatefulSet",
  "CronJob",
  "PodDisruptionBudget",
];
const last = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

export function legacyOrder(a: Json, b: Json): number {
  const [x, y] = [rank(a), rank(b)];
  if (x !== y) return x - y;
  const [left, right] = [key(a), key(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function rank(value: Json): number {
  const early = first.indexOf(kindOf(value));
  if (early >= 0) return early - first.length;
  return last.indexOf(kindOf(value)) + 1;
}

const key = (value: Json): string =>
  [text(value, "apiVersion"), kindOf(value), namespaceOf(value), nameOf(value)].join("|");
