/** job: every Job runs pods until enough of them have succeeded, or too many have failed. */

import { Job } from "../../api/batch/v1/job.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { isJobFinished } from "../parts/jobs/finished.ts";
import { createOwnedPods } from "../parts/pods/owned-pods.ts";
import { createJobBackoff } from "./backoff.ts";
import { followTracking } from "./follow-tracking.ts";
import { isManagedElsewhere, planEndedJob, planJob, skipped } from "./reconcile.ts";
import { jobRulesOf } from "./rules.ts";

const component = "job-controller";

export const jobController: Controller = {
  name: "job",
  account: component,
  start(context) {
    const { clock, gates } = context;
    const selectorOf = ({ spec }: Job) => labelSelectorFromObject(spec?.selector);
    const owned = createOwnedPods(context, component, { owners: Job, selectorOf });
    const { owners: jobs, expectations } = owned;
    const backoff = createJobBackoff();
    const tracking = context.has("countedPods") ? followTracking(context, owned) : undefined;
    const rules = jobRulesOf(context, tracking);
    const forget = (key: string) => {
      expectations.forget(key);
      backoff.forget(key);
    };
    const queue = context.queue({
      workers: 5, // v1.21 has no flag for it
      component,
      pods: owned.control,
      after: [jobs, owned.pods],
      sizeOf: owned.countOf,
      async sync(key) {
        const job = jobs.get(key);
        if (job === undefined) return forget(key);
        if (isManagedElsewhere(job, context.vocabulary)) return undefined;
        if (isJobFinished(job)) {
          backoff.forget(key);
          return expectations.satisfied(key) ? planEndedJob(job, owned.ownedBy(job), tracking) : undefined;
        }
        const event = skipped(job, gates);
        if (event !== undefined) return { about: job, events: [event] };
        const isSynced = expectations.satisfied(key);
        const at = { ...rules, nowMs: clock.now(), isSynced, failureRun: backoff.run(key) };
        const { reference } = owned.ownerOf(job);
        return planJob({ key, job, pods: await owned.claim(job), reference, backoff }, at);
      },
    });
    jobs.on({ ...enqueueChanged(queue), delete: (job) => forget(keyOf(job)) });
    owned.follow((key, pod) => {
      queue.addAfter(key, tracking === undefined && pod.status?.phase === "Failed" ? backoff.delayMs(key) : 0);
    });
    return queue;
  },
};
