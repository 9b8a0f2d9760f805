/** ttl-after-finished: deletes finished jobs after their TTL. */

import { Job } from "../../api/batch/v1/job.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { deleteInMs, planFinishedJob } from "./reconcile.ts";

export const ttlAfterFinishedController: Controller = {
  name: "ttl-after-finished",
  account: "ttl-after-finished-controller",
  start({ informers, clock, gates, settings, queue: createQueue }) {
    if (!gates.enabled("TTLAfterFinished")) return undefined;
    const jobs = informers.of(Job);
    const queue = createQueue({
      name: "ttl_jobs_to_delete",
      workers: settings.concurrentTtlAfterFinishedSyncs,
      after: [jobs],
      sync(key) {
        const job = jobs.get(key);
        return job && planFinishedJob(job, clock.now());
      },
    });
    const enqueueDue = (job: Job) => {
      if (deleteInMs(job, clock.now()) !== undefined) queue.add(keyOf(job));
    };
    jobs.on({ add: enqueueDue, update: enqueueDue });
    return queue;
  },
};
