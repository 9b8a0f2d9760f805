import { describe, expect, test } from "vitest";
import type { JobSpec } from "../../api/batch/v1/job-spec.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { orch } from "../../vocabulary/orch.ts";
import { jobOf, podsOf, today } from "./job.suite.ts";
import { planJobPods } from "./pods.ts";
import { isManagedElsewhere } from "./reconcile.ts";
import { finishJob } from "./status.ts";
import { uncountedPodsMax } from "./tracking.ts";

const startTime = "2021-05-01T00:00:00Z";
const pass = (spec: Partial<JobSpec>, pods: readonly Pod[], status: JobStatus = { startTime }) => {
  const job = jobOf(spec, status);
  const plan = planJobPods(job, pods, today);
  const isEnding = plan.failure !== undefined || plan.success !== undefined;
  const outcome = isEnding ? { created: 0, deleted: 0 } : { created: plan.create, deleted: plan.delete.length };
  return { ...plan, ...finishJob(job, plan, outcome, today) };
};
const typesOf = (status: JobStatus) => status.conditions?.map(({ type, reason }) => `${type} ${reason}`);
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };
const terminating = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: startTime } });
const released = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, finalizers: [] } });
const exited = (pod: Pod, exitCode: number): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: [
      { name: "c", ready: false, restartCount: 0, image: "i", imageID: "", state: { terminated: { exitCode } } },
    ],
  },
});
const failing = (rule: object) => ({ podFailurePolicy: { rules: [rule] } }) as Partial<JobSpec>;
const onCode = (action: string) => failing({ action, onExitCodes: { operator: "In", values: [3] } });

describe("the end of a job at level 1.35", () => {
  test("is announced and written at once where no pod is left", () => {
    const { status, events } = pass({ completions: 1 }, podsOf("Succeeded"));
    expect(typesOf(status)).toEqual(["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]);
    expect(status).toMatchObject({ startTime, succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.completionTime).toBeDefined();
    expect(events).toMatchObject([{ reason: "Completed" }]);
  });

  test("waits for pods that run or are being deleted", () => {
    const spec = { completions: 1, parallelism: 2 };
    const [done, surplus] = podsOf("Succeeded", "Running") as [Pod, Pod];
    const first = pass(spec, [done, surplus]);
    expect(first.delete).toEqual([surplus]);
    expect(first.status.terminating).toBe(1);
    expect(typesOf(first.status)).toEqual(["SuccessCriteriaMet CompletionsReached"]);
    const second = pass(spec, [done, released(terminating(surplus))], first.status);
    expect(second.status.terminating).toBe(1);
    expect(typesOf(second.status)).toEqual(["SuccessCriteriaMet CompletionsReached"]);
    const { status } = pass(spec, [released(done)], { ...second.status, succeeded: 1 });
    expect(typesOf(status)).toContain("Complete CompletionsReached");
    expect(status.failed).toBeUndefined();
  });

  test("is a failure where pods have failed too often, even if enough have succeeded", () => {
    const { failure, success } = pass({ completions: 1, backoffLimit: 0 }, podsOf("Succeeded", "Failed"));
    expect([failure?.reason, success]).toEqual(["BackoffLimitExceeded", undefined]);
  });

  test("tells of more successes than completions", () => {
    const { events } = pass({ completions: 1, parallelism: 2 }, podsOf("Succeeded", "Succeeded"));
    expect(events.map(({ reason }) => reason)).toEqual(["TooManySucceededPods", "Completed"]);
  });

  test("is not written while pods are left to be counted", () => {
    const pods = podsOf(...Array.from({ length: uncountedPodsMax + 1 }, () => "Succeeded"));
    expect(typesOf(pass({ completions: pods.length - 1, parallelism: 9 }, pods).status)).toEqual([
      "SuccessCriteriaMet CompletionsReached",
    ]);
  });

  test("after too many failures counts stopped pods once", () => {
    const first = pass({ backoffLimit: 0, parallelism: 2, completions: 2 }, podsOf("Failed", "Running"));
    expect(first.status).toMatchObject({ failed: 2, active: 1 });
    expect(typesOf(first.status)).toEqual(["FailureTarget BackoffLimitExceeded"]);
    const left = podsOf("Failed").map(released);
    const second = pass({ backoffLimit: 0, parallelism: 2, completions: 2 }, left, first.status);
    expect(second.status.failed).toBe(2);
    expect(typesOf(second.status)).toEqual(["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]);
  });

  test("does not forget pods that are gone", () => {
    expect(pass({ completions: 3 }, [], { startTime, succeeded: 2, failed: 1 }).status).toMatchObject({
      succeeded: 2,
      failed: 1,
    });
    const { indexes, status } = pass(indexed, [], { startTime, succeeded: 1, completedIndexes: "1" });
    expect([indexes, status.completedIndexes]).toEqual([[0, 2], "1"]);
  });
});

describe("a failure policy", () => {
  const [pod] = podsOf("Failed");
  test("ends the job, ignores a pod, or counts it", () => {
    expect(pass({ ...onCode("FailJob"), completions: 1 }, [exited(pod as Pod, 3)]).failure?.reason).toBe(
      "PodFailurePolicy",
    );
    expect(pass({ ...onCode("FailJob"), completions: 1 }, [exited(pod as Pod, 3)]).failure?.message).toContain(
      "exit code 3",
    );
    const ignored = pass({ ...onCode("Ignore"), completions: 1, backoffLimit: 0 }, [exited(pod as Pod, 3)]);
    expect([ignored.failure, ignored.create, ignored.counts.failed]).toEqual([undefined, 1, 0]);
    expect(
      pass({ ...onCode("Ignore"), completions: 1, backoffLimit: 0 }, [exited(pod as Pod, 4)]).failure?.reason,
    ).toBe("BackoffLimitExceeded");
  });

  test("matches conditions of pods", () => {
    const rule = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
    const conditions = [{ type: "DisruptionTarget", status: "True" }];
    const evicted = { ...(pod as Pod), status: { ...pod?.status, conditions } } as Pod;
    expect(pass({ ...failing(rule), completions: 1 }, [evicted]).counts.failed).toBe(0);
  });

  test("gives up an index", () => {
    const [first] = podsOf("Failed#1");
    const spec = { ...indexed, backoffLimitPerIndex: 5, ...onCode("FailIndex") };
    const { indexes, status } = pass(spec, [exited(first as Pod, 3)]);
    expect([indexes, status.failedIndexes]).toEqual([[0, 2], "1"]);
  });
});

describe("limits for each index", () => {
  const spec = { ...indexed, backoffLimitPerIndex: 0, backoffLimit: 100 };
  test("let the others go on, and fail the job at its end", () => {
    const { failure, indexes, status } = pass(spec, podsOf("Failed#0", "Succeeded#1"));
    expect([failure, indexes, status.failedIndexes]).toEqual([undefined, [2], "0"]);
    expect(pass(spec, podsOf("Failed#0", "Succeeded#1", "Succeeded#2")).failure?.reason).toBe("FailedIndexes");
  });

  const failedBefore = (pod: Pod, counted: string, created: string): Pod => {
    const annotations = { ...pod.metadata.annotations, "batch.orch.io/job-index-failure-count": counted };
    return { ...pod, metadata: { ...pod.metadata, annotations, creationTimestamp: created } };
  };
  test("count failures by what the last pod says, even if earlier ones are gone", () => {
    const [pod] = podsOf("Failed#1") as [Pod];
    const limited = { ...spec, backoffLimitPerIndex: 2 };
    expect(pass(limited, [failedBefore(pod, "1", startTime)]).status.failedIndexes).toBe("");
    expect(pass(limited, [failedBefore(pod, "2", startTime)]).status.failedIndexes).toBe("1");
  });

  test("keep the last failed pod of an index until it is replaced, after a delay of its own", () => {
    const [pod, other] = podsOf("Failed#1", "Pending#1") as [Pod, Pod];
    const limited = { ...spec, completions: 2, parallelism: 2, backoffLimitPerIndex: 5 };
    const failed = failedBefore(pod, "2", "2021-05-01T00:00:55Z");
    const waiting = pass(limited, [failed]);
    expect([waiting.indexes, waiting.ended?.released, waiting.status.failed]).toEqual([[0], [], undefined]);
    const alone = pass({ ...limited, completions: 2 }, [failed, ...podsOf("Running#0")]);
    expect([alone.indexes, alone.createInMs]).toEqual([[], 35_000]);
    expect(pass(limited, [failed, other]).status.failed).toBe(1);
  });

  test("end the job when too many have failed", () => {
    const { failure } = pass({ ...spec, maxFailedIndexes: 1 }, podsOf("Failed#0", "Failed#1", "Running#2"));
    expect(failure?.reason).toBe("MaxFailedIndexesExceeded");
  });
});

test("a success policy ends the job before all indexes have succeeded", () => {
  const spec = { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] } };
  expect(pass(spec, podsOf("Running#0", "Succeeded#1")).success).toBeUndefined();
  const { success, delete: stopped, ended, status } = pass(spec, podsOf("Running#0", "Succeeded#2"));
  expect([success?.reason, stopped.length]).toEqual(["SuccessPolicy", 1]);
  // The pod that is stopped is released, and does not count as failed.
  expect([ended?.released.length, ended?.failed, status.failed]).toEqual([2, [], undefined]);
});

test("with the replacement policy Failed a pod that is being deleted is not replaced yet", () => {
  const pods = podsOf("Running").map(terminating);
  expect(pass({ completions: 1, podReplacementPolicy: "Failed" }, pods).create).toBe(0);
  expect(pass({ completions: 1, podReplacementPolicy: "TerminatingOrFailed" }, pods).create).toBe(1);
});

test("a suspended job keeps its time of start, which is another one when it is resumed", () => {
  const spec = { completions: 1, suspend: true };
  const { status } = pass(spec, [], {});
  expect([typesOf(status), status.startTime]).toEqual([["Suspended JobSuspended"], undefined]);
  const { status: later } = pass(spec, []);
  expect(later.startTime).toBe(startTime);
  expect(pass({ completions: 1 }, [], later).status.startTime).toBe("2021-05-01T00:01:00Z");
  const clearing = { ...today, clearsStart: true };
  const job = jobOf(spec, { startTime });
  const none = { created: 0, deleted: 0 };
  expect(finishJob(job, planJobPods(job, [], clearing), none, clearing).status.startTime).toBeUndefined();
});

test("a job of another controller is left alone", () => {
  expect(isManagedElsewhere(jobOf({ managedBy: "example.com/mine" }), orch)).toBe(true);
  expect(isManagedElsewhere(jobOf({ managedBy: "orch.io/job-controller" }), orch)).toBe(false);
  expect(isManagedElsewhere(jobOf({}), orch)).toBe(false);
});

test("so many pods are counted in one pass, and the others in the next", () => {
  const many = (phase: string) => Array.from({ length: uncountedPodsMax + 1 }, () => phase);
  const pods = podsOf(...many("Succeeded"), ...many("Failed"));
  const spec = { completions: 10_000, backoffLimit: 10_000 };
  const first = pass(spec, pods);
  const uidsOf = (list: readonly Pod[] = []) => list.map(({ metadata }) => metadata.uid ?? "");
  const listed = { succeeded: uidsOf(first.ended?.succeeded), failed: uidsOf(first.ended?.failed) };
  expect(first.ended?.released).toHaveLength(uncountedPodsMax);
  expect(listed.succeeded.length + listed.failed.length).toBe(uncountedPodsMax);
  expect(first.status).toMatchObject({ succeeded: listed.succeeded.length });
  const next = pass(spec, pods, { startTime, uncountedTerminatedPods: listed });
  expect(uidsOf(next.ended?.released)).toEqual([...listed.succeeded, ...listed.failed]);
  expect(next.status.succeeded).toBe(uncountedPodsMax);
});
