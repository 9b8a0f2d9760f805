/** Whether a bound claim requests more than its volume has. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";
import { type Plan, read } from "../plan.ts";

const requested = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec?.resources?.requests?.["storage"] ?? "");
const capacity = ({ status }: PersistentVolumeClaim) => parseQuantity(status?.capacity?.["storage"] ?? "");

export const wantsMore = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === "Bound" && isMore(requested(claim), capacity(claim));

/** Whether a change of the claim must be reconciled: it requests more, or has become larger. */
export const hasGrown = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean =>
  isMore(requested(claim), requested(old)) || isMore(capacity(claim), capacity(old));

/** What is not stated counts as nothing. */
function isMore(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && (b === undefined || compareQuantities(a, b) > 0);
}

export function isBoundTo({ metadata }: PersistentVolumeClaim, { spec }: PersistentVolume): boolean {
  const { namespace, uid } = spec?.claimRef ?? {};
  return uid === metadata.uid && namespace === metadata.namespace;
}

/** Volumes are never enlarged here: there is no volume plugin. */
const message = "waiting for an external controller to enlarge the volume: there is no plugin here that does";

export function planExpansion(claim: PersistentVolumeClaim): Plan | undefined {
  if (!wantsMore(claim)) return undefined;
  const live = read(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
  return {
    reads: [live],
    next(done) {
      const volume = done.of(live);
      if (volume === undefined || !isBoundTo(claim, volume))
        return { failure: new Error(`the volume of claim "${keyOf(claim)}" is not bound to it`) };
      return { about: claim, events: [{ type: "Warning", reason: "ExternalExpanding", message }] };
    },
  };
}
