/** Who owns the claims of a StatefulSet, by its retention policy: a claim is deleted with its owner. */

import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { type Request, update } from "../plan.ts";
import { claimsFor, ordinalOf } from "./pod.ts";
import { ordinalsOf } from "./steps.ts";

interface ClaimOwnersInput {
  readonly set: StatefulSet;
  /** The reference to the set. */
  readonly owner: OwnerReference;
  /** All that it owns. */
  readonly pods: readonly Pod[];
  /** As the cache has it. */
  readonly claimOf: (key: string) => PersistentVolumeClaim | undefined;
}

/** Before a superfluous pod is deleted, so that its claims go with it. A set without a policy leaves its claims alone. */
export function claimOwnerWrites({ set, owner, pods, claimOf }: ClaimOwnersInput): Request<PersistentVolumeClaim>[] {
  if (set.spec?.persistentVolumeClaimRetentionPolicy === undefined) return [];
  return pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) return [];
    return claimsFor(set, ordinal).flatMap((template) => {
      const claim = claimOf(keyOf(template));
      const next = claim && withOwner(claim, { set, owner, pod, ordinal });
      return next === undefined ? [] : [update(PersistentVolumeClaim, next, { tolerates: ["NotFound"] })];
    });
  });
}

/** Undefined: it has the right owners, or a set or pod of the same name that is gone owns it, with which it goes. */
function withOwner(
  claim: PersistentVolumeClaim,
  {
    set,
    owner,
    pod,
    ordinal,
  }: Pick<ClaimOwnersInput, "set" | "owner"> & { readonly pod: Pod; readonly ordinal: number },
): PersistentVolumeClaim | undefined {
  const known = claim.metadata.ownerReferences ?? [];
  const references = { set: owner, pod: controllerRef(pod, { apiVersion: "v1", kind: "Pod" }) };
  const namesake = (reference: OwnerReference) =>
    [references.set, references.pod].find(({ kind, name }) => reference.kind === kind && reference.name === name);
  if (known.some((reference) => (namesake(reference) ?? reference).uid !== reference.uid)) return undefined;
  const others = known.filter((reference) => namesake(reference) === undefined);
  // What another controller owns is not this one's to delete.
  const isForeign = others.some(({ controller }) => controller === true);
  const wanted = isForeign ? undefined : ownerOfClaims(set, ordinal);
  const next = wanted === undefined ? others : [...others, references[wanted]];
  if (sameValue(known, next)) return undefined;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: next } };
}

/** Undefined: the claim has no owner and stays. */
export function ownerOfClaims(set: StatefulSet, ordinal: number): "set" | "pod" | undefined {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const { first, end } = ordinalsOf(set);
  if (whenScaled === "Delete" && (ordinal < first || ordinal >= end)) return "pod";
  return whenDeleted === "Delete" ? "set" : undefined;
}

/** Whether the claim goes with an earlier pod of the same name: a new pod waits until it is gone. */
export function isStale(claim: PersistentVolumeClaim, podName: string): boolean {
  return claim.metadata.ownerReferences?.some(({ kind, name }) => kind === "Pod" && name === podName) === true;
}

/** The set whose pod owns the claim; none if no pod does. */
export function setKeysOf({ metadata: { namespace, ownerReferences = [] } }: PersistentVolumeClaim): string[] {
  const pods = ownerReferences.filter(({ kind }) => kind === "Pod");
  return pods.map(({ name }) => `${namespace}/${name.replace(/-[0-9]+$/, "")}`);
}
