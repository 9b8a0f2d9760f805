/** Writes what was decided for the claims of a pod: they get their devices and hold them for the pod, before it gets its node. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { type Plan, update, updateStatus } from "../../controllers/plan.ts";
import type { ReservedClaim } from "./devices.ts";

interface Reservation {
  readonly pod: Pod;
  readonly claims: readonly ReservedClaim[];
  /** Keeps a claim while it has devices. */
  readonly finalizer: string;
  written(claim: ResourceClaim): void;
}

/** One claim after the other, then the rest. */
export function reservePlan(reservation: Reservation, rest: Plan): Plan {
  const { claims, written } = reservation;
  const [first, ...others] = claims;
  if (first === undefined) return rest;
  const goOn = (claim: ResourceClaim | undefined): Plan => {
    if (claim !== undefined && first.allocation !== undefined) written(claim);
    return reservePlan({ ...reservation, claims: others }, rest);
  };
  const protection = protectionOf(first, reservation.finalizer);
  if (protection === undefined) return reserveStep(reservation, first, first.claim, goOn);
  return {
    writes: [protection],
    next: (done) => reserveStep(reservation, first, done.of(protection) ?? first.claim, goOn),
  };
}

/** Not patches, so that they fail if anything has changed meanwhile. */
function reserveStep(
  { pod }: Reservation,
  { allocation }: ReservedClaim,
  live: ResourceClaim,
  goOn: (claim: ResourceClaim | undefined) => Plan,
): Plan {
  const { name = "", uid = "" } = pod.metadata;
  const { reservedFor = [] } = live.status ?? {};
  const isHeld = reservedFor.some((each) => each.uid === uid);
  if (isHeld && allocation === undefined) return goOn(undefined);
  const status = {
    ...live.status,
    ...(allocation === undefined ? {} : { allocation }),
    reservedFor: isHeld ? reservedFor : [...reservedFor, { resource: "pods", name, uid }],
  };
  const write = updateStatus(ResourceClaim, { ...live, status });
  return { writes: [write], next: (done) => goOn(done.of(write)) };
}

/** Undefined: the claim is kept already, or has been given its devices by somebody else. */
function protectionOf({ claim, allocation }: ReservedClaim, finalizer: string) {
  const { finalizers = [] } = claim.metadata;
  if (allocation === undefined || finalizers.includes(finalizer)) return undefined;
  return update(ResourceClaim, { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, finalizer] } });
}
