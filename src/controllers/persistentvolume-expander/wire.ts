/** persistentvolume-expander: an event on each claim that requests more storage names what enlarges its volume. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { hasGrown, planExpansion } from "./reconcile.ts";

export const persistentVolumeExpander: Controller = {
  name: "persistentvolume-expander",
  account: "expand-controller",
  start(context) {
    const claims = context.informers.of(PersistentVolumeClaim);
    const queue = context.queue({
      name: "volume_expand",
      component: "volume_expand",
      workers: 10,
      after: [claims],
      sync(key) {
        const claim = claims.get(key);
        return claim && planExpansion(claim);
      },
    });
    claims.on({
      add: (claim) => queue.add(keyOf(claim)),
      update(claim, old) {
        if (hasGrown(claim, old)) queue.add(keyOf(claim));
      },
    });
    return queue;
  },
};
