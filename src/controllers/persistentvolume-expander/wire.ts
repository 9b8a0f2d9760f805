/** persistentvolume-expander: an event on each claim that requests more storage names what enlarges its volume. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { hasGrown, isBoundTo, wantsMore } from "./reconcile.ts";

export const persistentVolumeExpander: Controller = {
  name: "persistentvolume-expander",
  account: "expand-controller",
  start(context) {
    const claims = context.informers.of(PersistentVolumeClaim);
    const events = context.recorder("volume_expand");
    const queue = context.queue({
      name: "volume_expand",
      workers: 10,
      after: [claims],
      async sync(key) {
        const claim = claims.get(key);
        if (claim === undefined || !wantsMore(claim)) return;
        const volume = await context.client.of(PersistentVolume).get({ name: claim.spec?.volumeName ?? "" });
        if (!isBoundTo(claim, volume)) throw new Error(`the volume of claim "${key}" is not bound to it`);
        // Volumes are never enlarged here: there is no volume plugin.
        const message = "waiting for an external controller to enlarge the volume: there is no plugin here that does";
        events.event(claim, "Warning", "ExternalExpanding", message);
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
