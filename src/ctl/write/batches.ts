/** Which objects of a manifest may be written at the same time. */

import type { Manifest } from "../input/manifests.ts";
import { apiVersionOf, groupOf, kindOf, nameOf, namespaceOf } from "../json.ts";

/** Objects of other kinds may be refused, or changed differently, while these are missing. */
const foundations: ReadonlySet<string> = new Set([
  "APIService",
  "ClusterRole",
  "CustomResourceDefinition",
  "IngressClass",
  "LimitRange",
  "MutatingWebhookConfiguration",
  "Namespace",
  "PodSecurityPolicy",
  "PriorityClass",
  "ResourceQuota",
  "Role",
  "RuntimeClass",
  "ServiceAccount",
  "StorageClass",
  "ValidatingWebhookConfiguration",
]);

/**
 * The manifests in order, in batches. A foundation waits for everything before it, and everything after it waits for it; only
 * foundations of one kind are written together. No object is twice in a batch: its second manifest comes after the first.
 */
export function batchesOf(manifests: readonly Manifest[]): Manifest[][] {
  const batches: Manifest[][] = [];
  let seen = new Set<string>();
  let previous = "";
  for (const manifest of manifests) {
    const { object } = manifest;
    const kind = kindOf(object);
    const key = [groupOf(apiVersionOf(object)), kind, namespaceOf(object), nameOf(object)].join("/");
    const isBoundary = kind !== previous && (foundations.has(kind) || foundations.has(previous));
    const last = batches.at(-1);
    if (last === undefined || isBoundary || seen.has(key)) {
      batches.push([manifest]);
      seen = new Set();
    } else last.push(manifest);
    seen.add(key);
    previous = kind;
  }
  return batches;
}
