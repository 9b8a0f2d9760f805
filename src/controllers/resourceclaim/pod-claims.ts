/** The claims of one pod: made from templates, named in its status, and reserved for a pod that already has its node. */

import { Pod } from "../../api/core/v1/pod.ts";
import { consumersMax } from "../../api/resource/v1/allocation.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import type { Informer } from "../../client/informer/contract.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { controllerRef, isControlledBy } from "../parts/ownership/controller-ref.ts";
import { claimNameOf, type PodClaim } from "../parts/pods/resource-claims.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { create, messageOf, type Plan, type PlannedEvent, patch, type Request, read, updateStatus } from "../plan.ts";
import { isPodDone } from "./reconcile.ts";

/** What a pass over a pod knows: copies of the informers. */
interface PodClaimsInput {
  readonly pod: Pod;
  readonly claims: Pick<Informer<ResourceClaim>, "get">;
  readonly templates: Pick<Informer<ResourceClaimTemplate>, "get">;
  /** The claims that were made for the pod. */
  readonly made: readonly ResourceClaim[];
  readonly words: ClaimWords;
}

interface ClaimWords {
  /** The annotation of a claim with the name that the pod has for it. */
  readonly nameKey: string;
  /** How a template is called that is not there: "resourceclaimtemplate.resource.orch.io". */
  readonly templateResource: string;
}

export const claimWords = (vocabulary: Vocabulary): ClaimWords => ({
  nameKey: vocabulary.word("resource.orch.io/pod-claim-name"),
  templateResource: `resourceclaimtemplate.${vocabulary.group("resource.orch.io")}`,
});

/** The key of an object beside another. */
export const keyBeside = ({ metadata: { namespace = "" } }: Pod | ResourceClaim, name: string): string =>
  `${namespace}/${name}`;

/** The keys of all claims of the pod whose names are known. */
export const claimKeys = (pod: Pod): readonly string[] =>
  (pod.spec?.resourceClaims ?? []).flatMap((claim) => {
    const name = claimNameOf(pod, claim);
    return name ? [keyBeside(pod, name)] : [];
  });

/** Undefined: the pod has all that it needs. */
export function planPodClaims(input: PodClaimsInput): Plan | undefined {
  const { pod, claims } = input;
  if (isDeleting(pod) || isPodDone(pod)) return undefined;
  const missing = (pod.spec?.resourceClaims ?? []).filter((claim) => {
    const name = claimNameOf(pod, claim);
    return (
      claim.resourceClaimTemplateName &&
      name !== null &&
      !isOwn(pod, name === undefined ? undefined : claims.get(keyBeside(pod, name)))
    );
  });
  const reservations = planReservations(input);
  if (missing.length === 0) return reservations.length === 0 ? undefined : { writes: reservations };
  return planAfterReading(input, missing, reservations);
}

/** Whether it is there, and still the pod's own. */
const isOwn = (pod: Pod, claim: ResourceClaim | undefined): boolean =>
  claim !== undefined && isControlledBy(claim, pod);

/** The cache may not know yet what the last pass has made, and a second claim would have no user. */
function planAfterReading(
  input: PodClaimsInput,
  missing: readonly PodClaim[],
  reservations: readonly Request<ResourceClaim>[],
): Plan {
  const { namespace, name = "", uid } = input.pod.metadata;
  const livePod = read(Pod, { namespace, name });
  const named = new Map(
    missing.flatMap((claim) => {
      const known = claimNameOf(input.pod, claim);
      return known ? [[known, read(ResourceClaim, { namespace, name: known })]] : [];
    }),
  );
  return {
    reads: [livePod, ...named.values()],
    next(done) {
      const pod = done.of(livePod);
      if (pod === undefined || pod.metadata.uid !== uid || isDeleting(pod)) return undefined;
      const isGone = (known: string) => {
        const request = named.get(known);
        return request !== undefined && !isOwn(pod, done.of(request));
      };
      const still = missing.filter((claim) => {
        const known = claimNameOf(pod, claim);
        return known === undefined || (known !== null && isGone(known));
      });
      if (still.length === 0) return reservations.length === 0 ? undefined : { writes: reservations };
      return planMissing({ ...input, pod }, still, new Map(), reservations);
    },
  };
}

/** One after the other; the first that cannot be made is reported, and the pod is tried again. */
function planMissing(
  input: PodClaimsInput,
  [wanted, ...others]: readonly PodClaim[],
  made: Map<string, string>,
  reservations: readonly Request<ResourceClaim>[],
): Plan {
  const { pod, templates, words } = input;
  const { nameKey, templateResource } = words;
  if (wanted === undefined) return { writes: [nameClaims(pod, made), ...reservations] };
  const goOn = (claim: ResourceClaim | undefined): Plan | undefined =>
    claim && planMissing(input, others, made.set(wanted.name, claim.metadata.name ?? ""), reservations);
  // A claim whose name did not reach the status.
  const known = input.made.find((claim) => !isDeleting(claim) && claim.metadata.annotations?.[nameKey] === wanted.name);
  if (known !== undefined) return { next: () => goOn(known) };
  const reported = (problem: string): PlannedEvent => ({
    type: "Warning",
    reason: "FailedResourceClaimCreation",
    message: `PodResourceClaim ${wanted.name}: ${problem}`,
  });
  const name = wanted.resourceClaimTemplateName ?? "";
  const template = templates.get(keyBeside(pod, name));
  if (template === undefined) {
    const failure = new Error(`resource claim template "${name}": ${templateResource} "${name}" not found`);
    return { about: pod, events: [reported(failure.message)], failure };
  }
  const creation = create(ResourceClaim, newClaim(pod, wanted.name, template, nameKey), {
    tolerates: ["NamespaceTerminating"],
    refused: (error) => reported(`create ResourceClaim : ${messageOf(error)}`),
  });
  return { about: pod, writes: [creation], next: (done) => goOn(done.of(creation)) };
}

/** Of a name with 63 characters: a dash and five random ones follow. */
const namePrefixCharsMax = 57;

/** Both parts are cut in proportion, so that something of each remains. */
export function claimNamePrefix(pod: string, claim: string): string {
  const whole = `${pod}-${claim}-`;
  if (whole.length <= namePrefixCharsMax) return whole;
  const cut = (part: string) => part.slice(0, Math.floor((part.length * namePrefixCharsMax) / whole.length));
  return `${cut(pod)}-${cut(claim)}`;
}

function newClaim(pod: Pod, name: string, { spec }: ResourceClaimTemplate, nameKey: string): ResourceClaim {
  const { labels, annotations } = spec.metadata ?? {};
  const { namespace, name: podName = "" } = pod.metadata;
  return {
    metadata: {
      generateName: claimNamePrefix(podName, name),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, [nameKey]: name },
      ownerReferences: [controllerRef(pod, { apiVersion: "v1", kind: "Pod" })],
    },
    spec: structuredClone(spec.spec),
  };
}

const fieldManager = "ResourceClaimController";

/** Those that were named before are applied again, since an apply removes what it leaves out. */
function nameClaims({ metadata, status }: Pod, made: ReadonlyMap<string, string>): Request<Pod> {
  const { namespace, name = "", uid } = metadata;
  const before = (status?.resourceClaimStatuses ?? []).filter((each) => !made.has(each.name));
  const named = [...made].map(([claim, resourceClaimName]) => ({ name: claim, resourceClaimName }));
  const body = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, uid },
    status: { resourceClaimStatuses: [...before, ...named] },
  };
  return patch(Pod, { namespace, name }, body, { type: "apply", fieldManager, force: true, subresource: "status" });
}

/** A pod that was not placed by a scheduler has no scheduler that reserves what is allocated for it. */
function planReservations({ pod, claims }: PodClaimsInput): readonly Request<ResourceClaim>[] {
  const { name = "", uid = "" } = pod.metadata;
  if (!pod.spec?.nodeName) return [];
  return (pod.spec.resourceClaims ?? []).flatMap((wanted) => {
    const claim = claims.get(keyBeside(pod, claimNameOf(pod, wanted) ?? ""));
    if (claim?.status?.allocation === undefined || isDeleting(claim)) return [];
    if (wanted.resourceClaimTemplateName && !isControlledBy(claim, pod)) return [];
    const { reservedFor = [] } = claim.status;
    if (reservedFor.some((each) => each.uid === uid) || reservedFor.length >= consumersMax) return [];
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: "pods", name, uid }] };
    return [updateStatus(ResourceClaim, { ...claim, status })];
  });
}
