/** Which claims a pod uses, and which changes of a pod may free one. */

import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { isControlledBy } from "../parts/ownership/controller-ref.ts";
import { isDeleting } from "../parts/pods/state.ts";

/** Names of claims that its volumes name, and of those that were made for it. */
function claimNamesOf({ metadata, spec }: Pod): { readonly named: string[]; readonly own: string[] } {
  const [named, own]: [string[], string[]] = [[], []];
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim) named.push(persistentVolumeClaim.claimName);
    else if (ephemeral) own.push(`${metadata.name ?? ""}-${name}`);
  }
  return { named, own };
}

/** Keys of all claims that a pod may use. */
export function claimKeysOf(pod: Pod): readonly string[] {
  const { named, own } = claimNamesOf(pod);
  return [...named, ...own].map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
}

/** A pod that is not on a node uses none: a node agent does not start it with a claim that is on its way out. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  const { named, own } = claimNamesOf(pod);
  const name = claim.metadata.name ?? "";
  return named.includes(name) || (own.includes(name) && !isShutDown(pod) && isControlledBy(claim, pod));
}

/** It has ended, or was deleted by force: it only waits for its finalizers. */
const isShutDown = (pod: Pod): boolean => isDeleting(pod) && pod.metadata.deletionGracePeriodSeconds === 0;

/** Whether this state of a pod may release a claim that an earlier state used. */
export function mayFreeClaims(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return !pod.spec?.nodeName || phase === "Succeeded" || phase === "Failed" || isDeleting(pod);
}
