/** Claims of pods: made from templates, released by pods that have ended, and deleted with them. */

import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { controllerOf, controllerRef, isControlledBy } from "../parts/ownership/controller-ref.ts";
import { isDeleting, isPodFinished } from "../parts/pods/state.ts";
import { create, messageOf, type Plan, patch, read, remove, update, updateStatus } from "../plan.ts";

type PodClaim = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

/** Claims of the pod that are made from templates and that its status does not name yet. */
export function missingClaims(pod: Pod): readonly PodClaim[] {
  if (isDeleting(pod) || isPodFinished(pod)) return [];
  const known = new Set(pod.status?.resourceClaimStatuses?.map(({ name }) => name));
  return (pod.spec?.resourceClaims ?? []).filter((claim) => claim.resourceClaimTemplateName && !known.has(claim.name));
}

interface PodClaimsInput {
  readonly pod: Pod;
  /** Claims of the namespace that the cache has. */
  readonly claims: readonly ResourceClaim[];
  /** The annotation of a claim with the name that the pod has for it. */
  readonly nameKey: string;
}

/** One claim after the other; the status of the pod names each of them when it is there. */
export function planPodClaims(input: PodClaimsInput): Plan | undefined {
  const { pod, claims, nameKey } = input;
  const [wanted] = missingClaims(pod);
  if (wanted === undefined) return undefined;
  const isFor = ({ metadata }: ResourceClaim) => metadata.annotations?.[nameKey] === wanted.name;
  const known = claims.find((claim) => isControlledBy(claim, pod) && isFor(claim));
  if (known !== undefined) return nameClaim(pod, wanted.name, known);
  const { namespace } = pod.metadata;
  const template = read(ResourceClaimTemplate, { namespace, name: wanted.resourceClaimTemplateName ?? "" });
  const reported = (error: unknown): Plan => ({
    about: pod,
    events: [
      {
        type: "Warning",
        reason: "FailedResourceClaimCreation",
        message: `PodResourceClaim ${wanted.name}: ${messageOf(error)}`,
      },
    ],
  });
  return {
    about: pod,
    reads: [template],
    failed: reported,
    next(done) {
      const found = done.of(template);
      if (found === undefined) {
        const failure = new Error(`resource claim template "${wanted.resourceClaimTemplateName}" not found`);
        return { ...reported(failure), failure };
      }
      const creation = create(ResourceClaim, newClaim(pod, wanted.name, found, nameKey), {
        tolerates: ["NamespaceTerminating"],
      });
      return {
        about: pod,
        writes: [creation],
        failed: reported,
        next: (answers) => {
          const made = answers.of(creation);
          return made && nameClaim(pod, wanted.name, made);
        },
      };
    },
  };
}

/** Prefixes of generated names are cut so that the whole stays a valid name. */
const namePrefixCharsMax = 57;

function newClaim(pod: Pod, name: string, { spec }: ResourceClaimTemplate, nameKey: string): ResourceClaim {
  const { labels, annotations } = spec.metadata ?? {};
  const { namespace } = pod.metadata;
  return {
    metadata: {
      generateName: `${`${pod.metadata.name}-${name}`.slice(0, namePrefixCharsMax - 1)}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, [nameKey]: name },
      ownerReferences: [controllerRef(pod, { apiVersion: "v1", kind: "Pod" })],
    },
    spec: structuredClone(spec.spec),
  };
}

function nameClaim({ metadata }: Pod, name: string, claim: ResourceClaim): Plan {
  const { namespace, name: podName = "", uid } = metadata;
  const named = { name, resourceClaimName: claim.metadata.name };
  const changes = { metadata: { uid }, status: { resourceClaimStatuses: [named] } };
  return {
    writes: [patch(Pod, { namespace, name: podName }, changes, { type: "strategic", subresource: "status" })],
  };
}

interface ClaimInput {
  readonly claim: ResourceClaim;
  readonly podOf: (name: string) => Pod | undefined;
  /** Keeps the claim while something is allocated for it. */
  readonly finalizer: string;
}

/** Pods that have ended no longer hold a claim; a claim that no pod holds gives its devices back. */
export function planClaim({ claim, podOf, finalizer }: ClaimInput): Plan | undefined {
  const { namespace, name = "", uid, finalizers = [] } = claim.metadata;
  const reserved = claim.status?.reservedFor ?? [];
  const holds = ({ resource, name: pod, uid: podUid }: (typeof reserved)[number]) => {
    const found = resource === "pods" ? podOf(pod) : undefined;
    return resource !== "pods" || (found?.metadata.uid === podUid && !isPodFinished(found));
  };
  const kept = reserved.filter(holds);
  const isFree = kept.length === 0 && finalizers.includes(finalizer);
  const { allocation, reservedFor: _, ...others } = claim.status ?? {};
  const status = {
    ...others,
    ...(allocation === undefined || isFree ? {} : { allocation }),
    ...(kept.length === 0 ? {} : { reservedFor: kept }),
  };
  const isChanged = kept.length < reserved.length || (isFree && allocation !== undefined);
  const write = isChanged ? updateStatus(ResourceClaim, { ...claim, status }, { tolerates: ["NotFound"] }) : undefined;
  return {
    status: write,
    next(done) {
      const live = (write && done.of(write)) ?? claim;
      const left = finalizers.filter((each) => each !== finalizer);
      const freed = { ...live, metadata: { ...live.metadata, finalizers: left } };
      const reason = "the pod that it was made for has ended";
      return {
        writes: [
          ...(isFree ? [update(ResourceClaim, freed, { tolerates: ["NotFound"] })] : []),
          ...(kept.length === 0 && isOver(claim, podOf) && !isDeleting(claim)
            ? [remove(ResourceClaim, { namespace, name }, { uid, reason })]
            : []),
        ],
      };
    },
  };
}

/** Whether it was made for a pod that has ended; the garbage collector deletes it if the pod is gone. */
function isOver(claim: ResourceClaim, podOf: ClaimInput["podOf"]): boolean {
  const owner = controllerOf(claim);
  const pod = owner?.kind === "Pod" ? podOf(owner.name) : undefined;
  return pod !== undefined && pod.metadata.uid === owner?.uid && isPodFinished(pod);
}
