/** One pass over a Job: pods are created or deleted, then the status is written. */

import { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { FeatureGates } from "../../machinery/schema/gates.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { finishedCondition, isJobFinished } from "../parts/jobs/finished.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { isDeleting, isPodActive } from "../parts/pods/state.ts";
import { type Plan, type PlannedEvent, type PodChanges, type PodOutcome, type Request, statusOf } from "../plan.ts";
import type { JobBackoff } from "./backoff.ts";
import type { JobContext } from "./context.ts";
import { reviewedInMs } from "./ending.ts";
import { isIndexed, withIndex } from "./indexes.ts";
import { type JobPlan, planJobPods } from "./pods.ts";
import { finishJob, type JobOutcome, statusWhileReleased } from "./status.ts";
import { isTracked, type JobTracking, release, track } from "./tracking.ts";

interface JobInput {
  readonly key: string;
  readonly job: Job;
  /** As a write of this pass has left it. Default: `job`. */
  readonly live?: Job;
  /** All that it owns, ended ones as well. */
  readonly pods: readonly Pod[];
  /** The owner reference of new pods. */
  readonly reference: OwnerReference;
  /** Counts failures once the status that shows them is written. */
  readonly backoff: JobBackoff;
}

export function planJob(input: JobInput, at: JobContext): Plan {
  const { job } = input;
  const plan = planJobPods(job, input.pods, at);
  const isEnding = plan.failure !== undefined || plan.success !== undefined;
  const changes = isEnding ? undefined : podChanges(input, plan, at);
  const adopted = at.tracking === undefined || isEnding || isDeleting(job) ? [] : track(input.pods, at.tracking);
  if (changes === undefined && adopted.length === 0) return finish(input, plan, unchanged, at);
  const surplus = at.tracking === undefined ? [] : (changes?.delete ?? []);
  const write = (): Plan => ({
    about: job,
    ...(changes === undefined ? {} : { pods: changes }),
    next: ({ pods }) => finish(input, plan, pods, at),
    failed: (_, { pods }) => finish(input, plan, pods, at),
  });
  // Pods that are deleted because they are too many do not count: they are released before.
  return at.tracking === undefined ? write() : releasing(surplus, at.tracking, adopted, write);
}

const unchanged: PodOutcome = { created: 0, deleted: 0 };

/** Releases the pods, and remembers that for as long as the cache does not show it. */
function releasing(
  pods: readonly Pod[],
  tracking: JobTracking,
  others: readonly Request<Pod>[],
  next: () => Plan | undefined,
): Plan {
  return {
    writes: [...others, ...release(pods, tracking)],
    next() {
      for (const { metadata } of pods) tracking.released.add(metadata.uid ?? "");
      return next();
    },
  };
}

function podChanges(
  { job, reference }: JobInput,
  plan: JobPlan,
  { indexKey, announcesEnd, tracking, failureKeys }: JobContext,
): PodChanges | undefined {
  if (plan.delete.length > 0) return { delete: plan.delete, reason: whyDeleted(job) };
  if (plan.create === 0) return undefined;
  const plain = podFromTemplate(job.spec?.template, reference);
  const finalizers = tracking && [...(plain.metadata.finalizers ?? []), tracking.finalizer];
  const pod = { ...plain, metadata: { ...plain.metadata, ...(finalizers ? { finalizers } : {}) } };
  const indexOf = (number: number) => plan.indexes?.[number];
  const create = Array.from({ length: plan.create }, (_, number) => {
    const index = indexOf(number);
    if (index === undefined) return pod;
    const indexed = withIndex(pod, index, indexKey, announcesEnd);
    if (failureKeys === undefined || job.spec?.backoffLimitPerIndex === undefined) return indexed;
    const { counted, ignored } = plan.failuresOf.get(index) ?? { counted: 0, ignored: 0 };
    const annotations = {
      ...indexed.metadata.annotations,
      [failureKeys.counted]: String(counted),
      ...(ignored === 0 ? {} : { [failureKeys.ignored]: String(ignored) }),
    };
    return { ...indexed, metadata: { ...indexed.metadata, annotations } };
  });
  return { create };
}

/** `outcome`: the changes of pods in this pass. */
function finish(input: JobInput, plan: JobPlan, outcome: PodOutcome, at: JobContext): Plan {
  const { job } = input;
  const { tracking } = at;
  const done = finishJob(job, plan, outcome, at);
  const released = plan.ended?.released ?? [];
  if (tracking === undefined || plan.ended === undefined || released.length === 0) {
    return writeStatus(input, plan, done, at);
  }
  const listing = statusOf(Job, job, statusWhileReleased(job, done.status, plan.ended));
  return {
    status: listing,
    next(results) {
      // The status is written over what was just written.
      const live = (listing && results.of(listing)) ?? job;
      return releasing(released, tracking, [], () => writeStatus({ ...input, live }, plan, done, at));
    },
  };
}

function writeStatus(
  { key, job, live = job, backoff }: JobInput,
  plan: JobPlan,
  { status, events }: JobOutcome,
  at: JobContext,
): Plan {
  const write = statusOf(Job, live, status);
  const next = { ...job, status };
  const waits = isJobFinished(next) ? [] : [reviewedInMs(next, at), plan.createInMs].filter((ms) => ms !== undefined);
  return {
    about: job,
    status: write,
    events,
    ...(waits.length === 0 ? {} : { reviewInMs: Math.max(Math.min(...waits), 1) }),
    next() {
      if (at.tracking !== undefined) backoff.remember(key, plan.failureRun);
      // Only after the failure was written: a job without the condition would create them again.
      if (plan.failure !== undefined || plan.success !== undefined) return removal(job, plan.delete);
      if (at.tracking !== undefined || isJobFinished(next) || write === undefined) return undefined;
      if (plan.hasNewFailure) return { reviewInMs: backoff.failed(key) };
      backoff.forget(key);
      return undefined;
    },
  };
}

/** Pods of a failed job that were not deleted, since its controller was stopped just then. `pods`: all that it owns. */
export function planEndedJob(job: Job, pods: readonly Pod[], tracking: JobTracking | undefined): Plan | undefined {
  const doomed = finishedCondition(job)?.type === "Failed" ? removal(job, pods.filter(isPodActive)) : undefined;
  const kept = tracking === undefined ? [] : pods.filter((pod) => isTracked(pod, tracking));
  return tracking === undefined || kept.length === 0 ? doomed : releasing(kept, tracking, [], () => doomed);
}

const removal = (job: Job, pods: readonly Pod[]): Plan | undefined =>
  pods.length === 0 ? undefined : { about: job, pods: { delete: pods, reason: whyDeleted(job) } };

/** For the log. */
function whyDeleted(job: Job): string {
  if (finishedCondition(job) !== undefined) return "the job has ended";
  return job.spec?.suspend === true ? "the job is suspended" : "the job has ended or runs more pods than parallelism";
}

/** Whether another controller has the job, by its field managedBy. */
export const isManagedElsewhere = ({ spec }: Job, vocabulary: Vocabulary): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== vocabulary.word("orch.io/job-controller");

/** Why the job is left alone; undefined: it is not. */
export function skipped(job: Job, gates: FeatureGates): PlannedEvent | undefined {
  const mode = job.spec?.completionMode;
  if (isIndexed(job) && !gates.enabled("IndexedJob")) {
    const message = "Skipped Indexed Job sync because feature is disabled.";
    return { type: "Warning", reason: "IndexedJobDisabled", message };
  }
  if (mode !== undefined && mode !== "NonIndexed" && mode !== "Indexed") {
    const message = "Skipped Job sync because completion mode is unknown";
    return { type: "Warning", reason: "UnknownCompletionMode", message };
  }
  return undefined;
}
