import { expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import { jobOf } from "../job/job.suite.ts";
import { withControllers } from "../scenario.suite.ts";
import { deleteInMs, planFinishedJob } from "./reconcile.ts";
import { ttlAfterFinishedController } from "./wire.ts";

const endedAt = "2021-05-01T00:00:00Z";
const nowMs = Date.parse("2021-05-01T00:01:00Z");
const ended = (type: string): JobStatus => ({
  conditions: [{ type, status: "True", lastTransitionTime: endedAt }],
});

const rows = [
  {
    why: "a completed job is deleted after its TTL",
    spec: { ttlSecondsAfterFinished: 100 },
    status: ended("Complete"),
    inMs: 40_000,
  },
  { why: "a failed one as well", spec: { ttlSecondsAfterFinished: 10 }, status: ended("Failed"), inMs: -50_000 },
  { why: "a running job stays", spec: { ttlSecondsAfterFinished: 0 }, status: {}, inMs: undefined },
  { why: "a job without a TTL stays", spec: {}, status: ended("Complete"), inMs: undefined },
];
for (const { why, spec, status, inMs } of rows) {
  test(why, () => expect(deleteInMs(jobOf(spec, status), nowMs)).toBe(inMs));
}

test("a job of a clock that was set back is looked at again within its TTL, in case the clock is set right", () => {
  const job = jobOf({ ttlSecondsAfterFinished: 100 }, ended("Complete"));
  expect(planFinishedJob(job, nowMs - 365 * 86_400_000)).toEqual({ reviewInMs: 100_000 });
});

test("a TTL that is set on a finished job counts from its end", () =>
  withControllers([ttlAfterFinishedController], async ({ client, create, until }) => {
    const ref = { namespace: "default", name: "j" };
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await create(Job, { metadata: { ...ref }, spec: { template } });
    const [complete] = ended("Complete").conditions ?? [];
    const conditions = [{ type: "SuccessCriteriaMet", status: "True" }, complete];
    const status = { startTime: endedAt, completionTime: endedAt, conditions };
    await client.of(Job).patch(ref, { status }, { subresource: "status" });
    await client.of(Job).patch(ref, { spec: { ttlSecondsAfterFinished: 0 } });
    const job = await until(Job, ref, ({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(job.metadata.finalizers).toEqual(["foregroundDeletion"]);
  }));
