/** job: every Job runs pods until enough of them have succeeded, or too many have failed. */

import { Job } from "../../api/batch/v1/job.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { isNamespaceTerminating } from "../../client/requests/send.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { adoptAndRelease } from "../parts/ownership/adopt.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claim } from "../parts/ownership/claim.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { followOwned } from "../parts/ownership/follow.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { createPodControl } from "../parts/pods/pod-control.ts";
import { slowStart } from "../parts/pods/slow-start.ts";
import { isPodActive } from "../parts/pods/state.ts";
import { createJobBackoff } from "./backoff.ts";
import { isIndexed, withIndex } from "./indexes.ts";
import {
  deadlineInMs,
  finishedCondition,
  finishJob,
  isJobFinished,
  type JobContext,
  type JobPlan,
  planJob,
} from "./reconcile.ts";

/** v1.21 has no flag for it. */
const workers = 5;

export const jobController: Controller = { name: "job", account: "job-controller", start: startJobs };

function startJobs(context: ControllerContext) {
  const { client, informers, clock, gates, vocabulary } = context;
  const jobs = informers.of(Job);
  const pods = informers.of(Pod);
  const podsOf = byController(pods);
  const recorder = context.recorder("job-controller");
  const control = createPodControl(client, recorder);
  const expectations = createExpectations(clock);
  const backoff = createJobBackoff();
  const type = typeOf(jobs.address);
  const indexKey = vocabulary.word("batch.orch.io/job-completion-index");

  const queue = context.queue({
    workers,
    after: [jobs, pods],
    async sync(key) {
      const job = jobs.get(key);
      if (job === undefined) return forget(key);
      if (isJobFinished(job)) return await cleanUp(key, job);
      const refusal = refusalOf(job);
      if (refusal !== undefined) return recorder.event(job, "Warning", refusal.reason, refusal.message);
      const at: JobContext = {
        nowMs: clock.now(),
        indexKey,
        suspends: gates.enabled("SuspendJob"),
        isSynced: expectations.satisfied(key),
      };
      await bringOn(key, job, await claimPods(job), at);
    },
  });

  async function bringOn(key: string, job: Job, owned: readonly Pod[], at: JobContext): Promise<void> {
    const plan = planJob(job, owned, at);
    const { active, error } =
      plan.failure === undefined ? await manage(key, job, plan) : { active: 0, error: undefined };
    const { status, events, isNew } = finishJob(job, plan, active, at);
    const next = { ...job, status };
    if (isNew) await client.of(Job).updateStatus(next);
    for (const event of events) recorder.event(job, event.type, event.reason, event.message);
    // Only after the failure was written: a job without the condition would create them again.
    if (plan.failure !== undefined) await remove(key, job, plan.delete);
    const leftMs = deadlineInMs(next, at);
    if (!isJobFinished(next)) {
      if (leftMs !== undefined) queue.addAfter(key, Math.max(leftMs, 1));
      if (isNew && plan.hasNewFailure) queue.addAfter(key, backoff.failed(key));
      else if (isNew) backoff.forget(key);
    }
    if (error !== undefined) throw error;
  }

  /** How many are active afterwards, and the failure that stopped the plan. */
  async function manage(key: string, job: Job, plan: JobPlan): Promise<{ active: number; error?: unknown }> {
    const { active } = plan.counts;
    if (plan.delete.length > 0) {
      const { removed, error } = await remove(key, job, plan.delete);
      return { active: active - removed, error };
    }
    if (plan.create === 0) return { active };
    expectations.expectCreations(key, plan.create);
    const pod = podFromTemplate(job.spec?.template, controllerRef(job, type));
    const { done, error } = await slowStart(plan.create, async (number) => {
      const index = plan.indexes?.[number];
      await control.create(job, index === undefined ? pod : withIndex(pod, index, indexKey));
    });
    for (let missing = plan.create - done; missing > 0; missing--) expectations.creationObserved(key);
    return { active: active + done, error: isNamespaceTerminating(error) ? undefined : error };
  }

  async function remove(key: string, job: Job, doomed: readonly Pod[]) {
    expectations.expectDeletions(key, doomed.map(keyOf));
    const outcomes = await Promise.allSettled(
      doomed.map(async (pod) => {
        try {
          await control.delete(job, pod, whyDeleted(job));
        } catch (error) {
          expectations.deletionObserved(key, keyOf(pod));
          throw error;
        }
        if (pods.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid) expectations.deletionObserved(key, keyOf(pod));
      }),
    );
    const failed = outcomes.filter((outcome) => outcome.status === "rejected");
    return { removed: doomed.length - failed.length, error: failed[0]?.reason as unknown };
  }

  /** Pods of a failed job that were not deleted, since its controller was stopped just then. */
  async function cleanUp(key: string, job: Job): Promise<void> {
    backoff.forget(key);
    if (finishedCondition(job)?.type !== "Failed" || !expectations.satisfied(key)) return;
    const left = podsOf.ownedBy(job).filter(isPodActive);
    if (left.length === 0) return;
    const { error } = await remove(key, job, left);
    if (error !== undefined) throw error;
  }

  function claimPods(job: Job): Promise<Pod[]> {
    const selector = labelSelectorFromObject(job.spec?.selector);
    return adoptAndRelease(claim(podsOf.candidatesOf(job), { owner: job, selector }), {
      client: client.of(Pod),
      owner: controllerRef(job, type),
      readOwner: () => client.of(Job).get(splitKey(keyOf(job))),
    });
  }

  function refusalOf(job: Job): { reason: string; message: string } | undefined {
    const mode = job.spec?.completionMode;
    if (isIndexed(job) && !gates.enabled("IndexedJob")) {
      const message = "Skipped Indexed Job sync because feature is disabled.";
      return { reason: "IndexedJobDisabled", message };
    }
    if (mode !== undefined && mode !== "NonIndexed" && mode !== "Indexed") {
      return { reason: "UnknownCompletionMode", message: "Skipped Job sync because completion mode is unknown" };
    }
    return undefined;
  }

  function forget(key: string): void {
    expectations.forget(key);
    backoff.forget(key);
  }

  jobs.on({
    add: (job) => queue.add(keyOf(job)),
    update: (job) => queue.add(keyOf(job)),
    delete(job) {
      forget(keyOf(job));
    },
  });
  followOwned({
    objects: pods,
    owners: jobs,
    selectorOf: (job) => labelSelectorFromObject(job.spec?.selector),
    expectations,
    changed: (key, pod) => queue.addAfter(key, pod.status?.phase === "Failed" ? backoff.delayMs(key) : 0),
  });
  return queue;
}

/** For the log. */
function whyDeleted(job: Job): string {
  if (finishedCondition(job) !== undefined) return "the job has ended";
  return job.spec?.suspend === true ? "the job is suspended" : "the job has ended or runs more pods than parallelism";
}
