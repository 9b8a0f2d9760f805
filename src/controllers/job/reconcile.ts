/** One pass over a Job: pods are created or deleted, then the status is written. */

import { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import type { FeatureGates } from "../../machinery/schema/schema.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { finishedCondition, isJobFinished } from "../parts/jobs/finished.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { isPodActive } from "../parts/pods/state.ts";
import { type Plan, type PlannedEvent, type PodChanges, statusOf } from "../plan.ts";
import type { JobBackoff } from "./backoff.ts";
import { isIndexed, withIndex } from "./indexes.ts";
import { deadlineInMs, type JobContext, type JobPlan, planJobPods } from "./pods.ts";
import { finishJob } from "./status.ts";

interface JobInput {
  readonly key: string;
  readonly job: Job;
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
  const { active } = plan.counts;
  const isEnding = plan.failure !== undefined || plan.success !== undefined;
  const changes = isEnding ? undefined : podChanges(input, plan, at);
  if (changes === undefined) return finish(input, plan, active, at);
  return {
    about: job,
    pods: changes,
    next: ({ pods: { created, deleted } }) => finish(input, plan, active + created - deleted, at),
    failed: (_, { pods: { created, deleted } }) => finish(input, plan, active + created - deleted, at),
  };
}

function podChanges(
  { job, reference }: JobInput,
  plan: JobPlan,
  { indexKey, announcesEnd }: JobContext,
): PodChanges | undefined {
  if (plan.delete.length > 0) return { delete: plan.delete, reason: whyDeleted(job) };
  if (plan.create === 0) return undefined;
  const pod = podFromTemplate(job.spec?.template, reference);
  const indexOf = (number: number) => plan.indexes?.[number];
  const create = Array.from({ length: plan.create }, (_, number) => {
    const index = indexOf(number);
    return index === undefined ? pod : withIndex(pod, index, indexKey, announcesEnd);
  });
  return { create };
}

/** `active`: pods after the planned changes, as far as they succeeded. */
function finish({ key, job, backoff }: JobInput, plan: JobPlan, active: number, at: JobContext): Plan {
  const { status, events } = finishJob(job, plan, active, at);
  const write = statusOf(Job, job, status);
  const next = { ...job, status };
  const leftMs = isJobFinished(next) ? undefined : deadlineInMs(next, at);
  return {
    about: job,
    status: write,
    events,
    ...(leftMs === undefined ? {} : { reviewInMs: Math.max(leftMs, 1) }),
    next() {
      // Only after the failure was written: a job without the condition would create them again.
      if (plan.failure !== undefined || plan.success !== undefined) return removal(job, plan.delete);
      if (isJobFinished(next) || write === undefined) return undefined;
      if (plan.hasNewFailure) return { reviewInMs: backoff.failed(key) };
      backoff.forget(key);
      return undefined;
    },
  };
}

/** Pods of a failed job that were not deleted, since its controller was stopped just then. `pods`: all that it owns. */
export function planEndedJob(job: Job, pods: readonly Pod[]): Plan | undefined {
  return finishedCondition(job)?.type === "Failed" ? removal(job, pods.filter(isPodActive)) : undefined;
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
