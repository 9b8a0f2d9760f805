/** persistentvolume-expander: an event on each claim that requests more storage names what enlarges its volume. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { wantsMore } from "./reconcile.ts";

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
        // No volume is enlarged from here: there is no plugin that could.
        const message = "waiting for an external controller to enlarge the volume: there is no plugin here that does";
        events.event(claim, "Normal", "ExternalExpanding", message);
      },
    });
    claims.on({
      add: (claim) => queue.add(keyOf(claim)),
      update(claim, old) {
        if (claim.spec?.resources?.requests?.["storage"] !== old.spec?.resources?.requests?.["storage"])
          queue.add(keyOf(claim));
      },
    });
    return queue;
  },
};
