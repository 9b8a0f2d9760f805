/** cronjob: every CronJob starts jobs at the times of its schedule. */

import { CronJob } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { cronJobRules, planCronJob, scheduleOf } from "./reconcile.ts";
import { hasSameRuns, nextRunInMs } from "./runs.ts";

const component = "cronjob-controller";

export const cronJobController: Controller = {
  name: "cronjob",
  account: component,
  start(context) {
    const { informers, clock, has, vocabulary } = context;
    const [cronJobs, jobs] = [informers.of(CronJob), informers.of(Job)];
    const jobsOf = byController(jobs);
    const [type, jobType] = [typeOf(cronJobs.address), typeOf(jobs.address)];
    const timeKey = has("scheduledTimes") ? vocabulary.word("batch.orch.io/cronjob-scheduled-timestamp") : undefined;
    const rules = cronJobRules(has);
    const recorder = context.recorder(component);
    const queue = context.queue({
      workers: 5, // v1.21 has no flag for it
      component,
      after: [cronJobs, jobs],
      sync(key) {
        const cronJob = cronJobs.get(key);
        const at = { nowMs: clock.now(), type, jobType, timeKey, rules };
        return cronJob && planCronJob(cronJob, { jobs: jobsOf.ownedBy(cronJob), ...at });
      },
    });
    cronJobs.on({
      add: (cronJob) => queue.add(keyOf(cronJob)),
      update(cronJob, old) {
        if (hasSameRuns(cronJob, old)) return queue.add(keyOf(cronJob));
        const { schedule, event } = scheduleOf(cronJob, rules);
        if (event !== undefined) recorder.event(cronJob, event.type, event.reason, event.message);
        // A new schedule takes effect with its next run.
        queue.addAfter(keyOf(cronJob), (schedule && nextRunInMs(cronJob, schedule, clock.now(), rules)) ?? 0);
      },
    });
    const enqueueOwner = (job: Job) => {
      const owner = controllerOf(job);
      if (owner?.kind === type.kind) queue.add(`${job.metadata.namespace}/${owner.name}`);
    };
    jobs.on({
      add: enqueueOwner,
      update(job, old) {
        enqueueOwner(job);
        if (controllerOf(old)?.uid !== controllerOf(job)?.uid) enqueueOwner(old);
      },
      delete: enqueueOwner,
    });
    return queue;
  },
};
