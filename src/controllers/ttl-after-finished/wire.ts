/** ttl-after-finished: deletes finished jobs after their TTL. */

import { Job } from "../../api/batch/v1/job.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { deleteInMs } from "./reconcile.ts";

export const ttlAfterFinishedController: Controller = {
  name: "ttl-after-finished",
  account: "ttl-after-finished-controller",
  start({ client, informers, clock, gates, settings, queue: createQueue }) {
    if (!gates.enabled("TTLAfterFinished")) return undefined;
    const jobs = informers.of(Job);
    const queue = createQueue({
      name: "ttl_jobs_to_delete",
      workers: settings.concurrentTtlAfterFinishedSyncs,
      after: [jobs],
      async sync(key) {
        const cached = jobs.get(key);
        if (cached === undefined || !isDue(key, cached)) return;
        try {
          // The TTL may just have been changed, and a delete cannot be undone.
          const job = await client.of(Job).get(splitKey(key));
          if (!isDue(key, job)) return;
          const { uid, resourceVersion } = job.metadata;
          await client.of(Job).delete(splitKey(key), {
            uid,
            resourceVersion,
            propagationPolicy: "Foreground",
            reason: "ttlSecondsAfterFinished is over",
          });
        } catch (error) {
          if (!hasReason(error, "NotFound")) throw error;
        }
      },
    });
    const isDue = (key: string, job: Job): boolean => {
      const inMs = deleteInMs(job, clock.now());
      if (inMs !== undefined && inMs > 0) queue.addAfter(key, inMs);
      return inMs !== undefined && inMs <= 0;
    };
    const enqueueDue = (job: Job) => {
      if (deleteInMs(job, clock.now()) !== undefined) queue.add(keyOf(job));
    };
    jobs.on({ add: enqueueDue, update: enqueueDue });
    return queue;
  },
};
