/** persistentvolume-binder: claims are bound to volumes that fit, one to one. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { defaultClasses, storageClassMarks } from "../../api/default-class.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Controller } from "../contract.ts";
import { followVolumes } from "./follow.ts";
import { Latest } from "./latest.ts";
import { bindNames } from "./reconcile.ts";
import type { BinderParts } from "./sync-claim.ts";
import { syncKey } from "./sync-key.ts";

export const persistentVolumeBinder: Controller = {
  name: "persistentvolume-binder",
  account: "persistent-volume-binder",
  start(context) {
    const { informers, settings, vocabulary } = context;
    const volumes = informers.of(PersistentVolume);
    const claims = informers.of(PersistentVolumeClaim);
    const classes = informers.of(StorageClass);
    const names = bindNames(vocabulary);
    const parts: BinderParts = {
      context,
      names,
      events: context.recorder("persistentvolume-controller"),
      volumes: new Latest(volumes),
      claims: new Latest(claims),
      classOf: (name) => classes.get(name),
      defaultClass: () =>
        context.has("lateDefaultClasses")
          ? defaultClasses(classes.list(), storageClassMarks, vocabulary)[0]
          : undefined,
    };
    const waiting = claims.index("unbound", ({ metadata }) =>
      metadata.annotations?.[names.bindCompleted] === undefined ? ["yes"] : [],
    );
    // One at a time: two claims must not take the same volume.
    const queue = context.queue({
      workers: 1,
      after: [volumes, claims, classes],
      async sync(key) {
        const next = await syncKey(parts, key);
        if (next !== undefined) queue.add(next);
      },
    });
    const enqueueWaiting = followVolumes({ volumes, claims, waiting: () => waiting.get("yes") }, queue);
    classes.on({ add: enqueueWaiting, update: enqueueWaiting });
    context.every(settings.pvclaimbinderSyncPeriodMs, enqueueWaiting);
    return queue;
  },
};
