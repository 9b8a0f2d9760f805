/** The holders of one claim: pods that have ended are removed, and a claim that none holds any more gives its devices back. */

import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { isDeleting, isPodFinished } from "../parts/pods/state.ts";
import { type Plan, read, remove, update, updateStatus } from "../plan.ts";

/** Whether none of its containers runs or will run: it has ended, or is deleted before it had a node. */
export const isPodDone = (pod: Pod): boolean => isPodFinished(pod) || (isDeleting(pod) && !pod.spec?.nodeName);

interface ClaimInput {
  readonly claim: ResourceClaim;
  readonly podOf: (name: string) => Pod | undefined;
  /** Keeps the claim while something is allocated for it. */
  readonly finalizer: string;
}

/** Of pods that the cache does not have the server is asked: a scheduler may have reserved the claim for a new one. */
export function planClaim(input: ClaimInput): Plan | undefined {
  const { claim, podOf } = input;
  const { namespace } = claim.metadata;
  const reserved = claim.status?.reservedFor ?? [];
  const unknown = reserved.flatMap(({ resource, name }) => (resource === "pods" && !podOf(name) ? [name] : []));
  const reads = new Map(unknown.map((name) => [name, read(Pod, { namespace, name })]));
  return {
    reads: [...reads.values()],
    next(done) {
      const kept = reserved.filter(({ resource, name, uid }) => {
        if (resource !== "pods") return true;
        const request = reads.get(name);
        const pod = request ? done.of(request) : podOf(name);
        return pod !== undefined && pod.metadata.uid === uid && !isPodDone(pod);
      });
      return planHolders(input, kept);
    },
  };
}

type Holders = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>;

function planHolders({ claim, podOf, finalizer }: ClaimInput, kept: Holders): Plan {
  const { allocation, reservedFor = [], ...others } = claim.status ?? {};
  const isReleased = kept.length < reservedFor.length;
  // What was never reserved stays allocated until it is deleted: a scheduler may be about to reserve it.
  const isFreed = kept.length === 0 && isProtected(claim, finalizer) && (isReleased || isDeleting(claim));
  const status = {
    ...others,
    ...(allocation === undefined || isFreed ? {} : { allocation }),
    ...(kept.length === 0 ? {} : { reservedFor: kept }),
  };
  const isChanged = isReleased || (isFreed && allocation !== undefined);
  // Not a patch, so that it fails if anything has changed meanwhile.
  const write = isChanged ? updateStatus(ResourceClaim, { ...claim, status }, { tolerates: ["NotFound"] }) : undefined;
  return {
    status: write,
    next(done) {
      const live = write === undefined ? claim : done.of(write);
      if (live === undefined) return undefined;
      return {
        writes: [
          ...(isFreed && isProtected(live, finalizer) ? [unprotected(live, finalizer)] : []),
          ...(kept.length === 0 && isOver(claim, podOf) && !isDeleting(claim) ? [removal(claim)] : []),
        ],
      };
    },
  };
}

const isProtected = ({ metadata }: ResourceClaim, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

function unprotected(claim: ResourceClaim, finalizer: string) {
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return update(ResourceClaim, { ...claim, metadata: { ...claim.metadata, finalizers } }, { tolerates: ["NotFound"] });
}

function removal({ metadata: { namespace, name = "", uid } }: ResourceClaim) {
  return remove(ResourceClaim, { namespace, name }, { uid, reason: "the pod that it was made for has ended" });
}

/** Whether it was made for a pod that has ended, or that another has replaced; the garbage collector deletes it if the pod is gone. */
function isOver(claim: ResourceClaim, podOf: ClaimInput["podOf"]): boolean {
  const owner = controllerOf(claim);
  const pod = owner?.kind === "Pod" ? podOf(owner.name) : undefined;
  return pod !== undefined && (pod.metadata.uid !== owner?.uid || isPodDone(pod));
}
