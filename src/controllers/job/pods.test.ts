import { describe, expect, test } from "vitest";
import type { JobSpec } from "../../api/batch/v1/job-spec.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { context, jobOf, podsOf } from "./job.suite.ts";
import { planJobPods } from "./pods.ts";
import { finishJob } from "./status.ts";

const now = "2021-05-01T00:01:00Z";
const startTime = "2021-05-01T00:00:00Z";
const outcome = (spec: Partial<JobSpec>, pods: ReturnType<typeof podsOf>, status?: JobStatus, at = context) => {
  const job = jobOf(spec, status);
  const plan = planJobPods(job, pods, at);
  return { ...plan, ...finishJob(job, plan, { created: plan.create, deleted: plan.delete.length }, at) };
};

interface Row {
  readonly why: string;
  readonly spec: Partial<JobSpec>;
  readonly pods: readonly string[];
  readonly create?: number;
  readonly indexes?: readonly number[];
  readonly deleted?: number;
}
const indexed = { completionMode: "Indexed" };
const rows: Row[] = [
  { why: "as many as the parallelism", spec: { completions: 5, parallelism: 2 }, pods: [], create: 2 },
  { why: "never more than the missing completions", spec: { completions: 2, parallelism: 5 }, pods: [], create: 2 },
  { why: "a success leaves one less to run", spec: { completions: 2, parallelism: 2 }, pods: ["Succeeded", "Running"] },
  { why: "a failed pod is replaced", spec: { completions: 1 }, pods: ["Failed"], create: 1 },
  { why: "surplus pods are deleted", spec: { completions: 3 }, pods: ["Running", "Running", "Running"], deleted: 2 },
  { why: "without completions as many as the parallelism", spec: { parallelism: 2 }, pods: [], create: 2 },
  { why: "without completions nothing new after a success", spec: { parallelism: 2 }, pods: ["Succeeded", "Running"] },
  {
    why: "a suspended job runs nothing",
    spec: { completions: 2, suspend: true },
    pods: ["Running", "Pending"],
    deleted: 2,
  },
  {
    why: "indexes are used from zero upwards",
    spec: { ...indexed, completions: 3, parallelism: 2 },
    pods: [],
    create: 2,
    indexes: [0, 1],
  },
  {
    why: "a failed index is retried",
    spec: { ...indexed, completions: 3, parallelism: 2 },
    pods: ["Succeeded#1", "Failed#0"],
    create: 2,
    indexes: [0, 2],
  },
  {
    why: "of two pods with one index one is deleted, as are pods without an index",
    spec: { ...indexed, completions: 3, parallelism: 3 },
    pods: ["Running#0", "Pending#0", "Running", "Running#7"],
    deleted: 3,
  },
];

describe("pods", () => {
  for (const { why, spec, pods, create = 0, indexes, deleted = 0 } of rows) {
    test(why, () => {
      const plan = planJobPods(jobOf(spec), podsOf(...pods), context);
      expect([plan.create, plan.indexes, plan.delete.length]).toEqual([create, indexes, deleted]);
    });
  }

  test("are only counted while the cache is stale", () => {
    const plan = planJobPods(jobOf({ completions: 1 }), [], { ...context, isSynced: false });
    expect([plan.create, plan.isManaged]).toEqual([0, false]);
  });
});

describe("the end", () => {
  test("comes with enough successes", () => {
    const { status, events } = outcome({ completions: 1 }, podsOf("Succeeded"), { startTime, active: 1 });
    expect(status).toEqual({
      startTime,
      completionTime: now,
      succeeded: 1,
      conditions: [{ type: "Complete", status: "True", lastProbeTime: now, lastTransitionTime: now }],
    });
    expect(events).toEqual([{ type: "Normal", reason: "Completed", message: "Job completed" }]);
  });

  test("without completions comes when the last pod has ended after a success", () => {
    const running = outcome({ parallelism: 2 }, podsOf("Succeeded", "Running"), { startTime });
    expect(running.status.conditions).toBeUndefined();
    const ended = outcome({ parallelism: 2 }, podsOf("Succeeded", "Failed"), { startTime });
    expect(ended.status.conditions?.[0]?.type).toBe("Complete");
  });

  test("comes with more failures than the limit", () => {
    const {
      status,
      events,
      delete: deleted,
    } = outcome({ completions: 2, parallelism: 2, backoffLimit: 0 }, podsOf("Failed", "Running"), {
      startTime,
      active: 2,
    });
    expect(status).toMatchObject({ failed: 2, conditions: [{ type: "Failed", reason: "BackoffLimitExceeded" }] });
    expect(status.active).toBeUndefined();
    expect(status.completionTime).toBeUndefined();
    expect(deleted).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "Warning", reason: "BackoffLimitExceeded" });
  });

  test("comes with more restarts than the limit where containers are restarted in place", () => {
    const template = { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "i" }] } };
    const failure = (restarts: number, backoffLimit: number) =>
      planJobPods(jobOf({ completions: 1, template, backoffLimit }), [podOf({ restarts })], context).failure?.reason;
    expect([failure(1, 2), failure(2, 2), failure(1, 0)]).toEqual([
      undefined,
      "BackoffLimitExceeded",
      "BackoffLimitExceeded",
    ]);
  });

  test("comes after the deadline", () => {
    const failure = (activeDeadlineSeconds: number) =>
      planJobPods(jobOf({ completions: 1, activeDeadlineSeconds }, { startTime }), podsOf("Running"), context).failure
        ?.reason;
    expect([failure(60), failure(61)]).toEqual(["DeadlineExceeded", undefined]);
  });
});

describe("status", () => {
  test("sets the start time when the job is first reconciled, but not while it is suspended", () => {
    expect(outcome({ completions: 1 }, []).status).toEqual({ startTime: now, active: 1 });
    expect(outcome({ completions: 1, suspend: true }, []).status).toMatchObject({
      conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended" }],
    });
    expect(outcome({ completions: 1, suspend: true }, []).status.startTime).toBeUndefined();
  });

  test("starts again when the job is resumed", () => {
    const suspended = { type: "Suspended", status: "True", reason: "JobSuspended", lastTransitionTime: startTime };
    const { status, events } = outcome({ completions: 1 }, [], { startTime, conditions: [suspended] });
    expect(status.startTime).toBe(now);
    expect(status.conditions).toMatchObject([{ status: "False", reason: "JobResumed", lastTransitionTime: now }]);
    expect(events[0]?.reason).toBe("Resumed");
  });

  test("prints indexes as ranges", () => {
    const pods = podsOf("Succeeded#0", "Succeeded#1", "Succeeded#3", "Succeeded#4", "Succeeded#5", "Succeeded#3");
    const { status } = outcome({ ...indexed, completions: 10 }, pods);
    expect([status.completedIndexes, status.succeeded]).toEqual(["0,1,3-5", 5]);
  });

  test("is undefined when nothing changed", () => {
    const { status } = outcome({ completions: 1 }, []);
    expect(outcome({ completions: 1 }, podsOf("Running"), status).status).toEqual(status);
  });
});
