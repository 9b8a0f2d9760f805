/** The status of a Job after one pass: its counts, and whether it is complete, has failed or is suspended. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { JobCondition, JobStatus } from "../../api/batch/v1/job-status.ts";
import { timeText } from "../../machinery/values/time.ts";
import { counted } from "../parts/counted.ts";
import type { PlannedEvent, PodOutcome } from "../plan.ts";
import { isSuspended, type JobContext } from "./context.ts";
import type { EndedPods } from "./counting.ts";
import { isComplete } from "./ending.ts";
import { isIndexed } from "./indexes.ts";
import type { JobPlan } from "./pods.ts";
import type { PodFailure } from "./policies.ts";
import { uncountedWith } from "./tracking.ts";

export interface JobOutcome {
  readonly status: JobStatus;
  readonly events: readonly PlannedEvent[];
}

/** `outcome`: the changes of pods in this pass, as far as they succeeded. */
export function finishJob(job: Job, plan: JobPlan, outcome: PodOutcome, context: JobContext): JobOutcome {
  const active = plan.counts.active + outcome.created - outcome.deleted;
  if (context.announcesEnd) return announceEnd(job, plan, { active, deleted: outcome.deleted }, context);
  const now = timeText(context.nowMs);
  const { succeeded, completedIndexes } = plan.counts;
  const failed = plan.counts.failed + (plan.failure === undefined ? 0 : plan.counts.active);
  const running = plan.failure === undefined ? active : 0;
  const ended = plan.failure === undefined && isComplete(job, succeeded, running) ? "Complete" : undefined;
  const events: PlannedEvent[] = [];
  let conditions = job.status?.conditions ?? [];
  let startTime = job.status?.startTime ?? (isSuspended(job, context) ? undefined : now);

  if (plan.failure !== undefined) {
    conditions = [...conditions, newCondition("Failed", now, plan.failure)];
    events.push({ type: "Warning", ...plan.failure });
  } else if (ended !== undefined) {
    conditions = [...conditions, newCondition("Complete", now)];
    events.push(...tooMany(job, succeeded, running), completed);
  } else if (context.suspends && plan.isManaged) {
    const changed = suspension(job, conditions, now);
    conditions = changed?.conditions ?? conditions;
    if (changed !== undefined) events.push(changed.event);
    // A deadline counts from when the job is resumed.
    if (changed?.event.reason === "Resumed") startTime = now;
  }
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(ended === undefined ? {} : { completionTime: now }),
    ...counted({ active: running, succeeded, failed }),
    ...(completedIndexes ? { completedIndexes } : {}),
  };
  return { status, events };
}

/** Since 1.32: the end is announced, and written once no pod is left. */
function announceEnd(
  job: Job,
  plan: JobPlan,
  { active, deleted }: { readonly active: number; readonly deleted: number },
  context: JobContext,
): JobOutcome {
  const now = timeText(context.nowMs);
  const { counts, failure, ended } = plan;
  const terminating = counts.terminating + deleted;
  const isReached = failure === undefined && active === 0 && isComplete(job, counts.succeeded, active);
  const success = plan.success ?? (isReached ? completionsReached : undefined);
  const isOver = (failure ?? success) !== undefined && active === 0 && terminating === 0 && ended?.hasMore !== true;
  const events: PlannedEvent[] = [];
  let conditions = job.status?.conditions ?? [];
  let startTime = job.status?.startTime ?? (isSuspended(job, context) ? undefined : now);
  const add = (type: string, why: PodFailure) => {
    if (conditions.some((one) => one.type === type && one.status === "True")) return;
    conditions = [...conditions.filter((one) => one.type !== type), newCondition(type, now, why)];
  };
  if (failure !== undefined) {
    add("FailureTarget", failure);
    if (isOver) add("Failed", failure);
    if (isOver) events.push({ type: "Warning", ...failure });
  } else if (success !== undefined) {
    add("SuccessCriteriaMet", success);
    if (isOver) add("Complete", success);
    if (isOver) events.push(...tooMany(job, counts.succeeded, 0), completed);
  } else if (context.suspends && plan.isManaged) {
    const changed = suspension(job, conditions, now);
    conditions = changed?.conditions ?? conditions;
    if (changed !== undefined) events.push(changed.event);
    // A deadline counts from when the job is resumed.
    if (changed?.event.reason === "Resumed") startTime = now;
    if (context.clearsStart === true && job.spec?.suspend === true) startTime = undefined;
  }
  const { ready, completedIndexes, failedIndexes } = counts;
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(success !== undefined && isOver ? { completionTime: now } : {}),
    ...counted({ active, succeeded: counts.succeeded, failed: counts.failed }),
    ...(completedIndexes ? { completedIndexes } : {}),
    uncountedTerminatedPods: {},
    ready: Math.min(ready, active),
    ...(failedIndexes === undefined ? {} : { failedIndexes }),
    terminating,
  };
  return { status, events };
}

/** The status while pods lose their finalizers: it lists them, counts none of them yet, and does not say that the job has ended. */
export function statusWhileReleased(job: Job, { completionTime: _, ...final }: JobStatus, ended: EndedPods): JobStatus {
  const { succeeded, failed } = job.status ?? {};
  const conditions = final.conditions?.filter(({ type }) => type !== "Complete" && type !== "Failed");
  const { succeeded: succeededAfter, failed: __, ...others } = final;
  const counts = { succeeded: (isIndexed(job) ? succeededAfter : succeeded) ?? 0, failed: failed ?? 0 };
  return {
    ...others,
    ...(conditions === undefined ? {} : { conditions }),
    ...counted(counts),
    uncountedTerminatedPods: uncountedWith(job, ended),
  };
}

const completed: PlannedEvent = { type: "Normal", reason: "Completed", message: "Job completed" };
const completionsReached: PodFailure = {
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

function tooMany(job: Job, succeeded: number, active: number): PlannedEvent[] {
  const { completions } = job.spec ?? {};
  if (completions === undefined) return [];
  const events: PlannedEvent[] = [];
  if (active > 0) {
    const message = "Too many active pods running after completion count reached";
    events.push({ type: "Warning", reason: "TooManyActivePods", message });
  }
  if (succeeded > completions) {
    const message = "Too many succeeded pods running after completion count reached";
    events.push({ type: "Warning", reason: "TooManySucceededPods", message });
  }
  return events;
}

/** Undefined: the condition is already right. A job that was never suspended has none. */
function suspension(
  job: Job,
  conditions: readonly JobCondition[],
  now: string,
): { conditions: JobCondition[]; event: PlannedEvent } | undefined {
  const current = conditions.find(({ type }) => type === "Suspended");
  const isNow = job.spec?.suspend === true;
  if (current === undefined ? !isNow : current.status === (isNow ? "True" : "False")) return undefined;
  const [reason, message] = isNow ? ["Suspended", "Job suspended"] : ["Resumed", "Job resumed"];
  const changed = { status: isNow ? "True" : "False", lastTransitionTime: now, reason: `Job${reason}`, message };
  return {
    conditions:
      current === undefined
        ? [...conditions, { type: "Suspended", lastProbeTime: now, ...changed }]
        : conditions.map((each) => (each === current ? { ...each, ...changed } : each)),
    event: { type: "Normal", reason, message },
  };
}

const newCondition = (type: string, now: string, why: Partial<PodFailure> = {}): JobCondition => ({
  type,
  status: "True",
  lastProbeTime: now,
  lastTransitionTime: now,
  ...why,
});
