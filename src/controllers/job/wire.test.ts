import { describe, expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { systemClock } from "../../base/clock.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { isJobFinished } from "../parts/jobs/finished.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { createJobBackoff, jobBackoffMsMax } from "./backoff.ts";
import { delayLeftMs, failureRunAfter, noFailures, podBackoffMsMax } from "./failure-run.ts";
import { jobController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "j" };
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const job = (spec: Partial<Job["spec"]>): Job => ({ metadata: { ...ref }, spec: { template, ...spec } });
const end = ({ client }: Scenario, pod: Pod | undefined, phase: string) =>
  client.of(Pod).patch({ namespace, name: pod?.metadata.name ?? "" }, { status: { phase } }, { subresource: "status" });
/** Later releases have both without a gate. */
const options = levelDefault === "1.21" ? { featureGates: { IndexedJob: true, SuspendJob: true } } : {};

describe("job", () => {
  test("runs pods with indexes until all have succeeded", () =>
    withControllers(
      [jobController],
      async (scenario) => {
        await scenario.create(Job, job({ completionMode: "Indexed", completions: 2, parallelism: 2 }));
        const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
        const key = "batch.orch.io/job-completion-index";
        const keptIn = levelDefault === "1.21" ? "annotations" : "labels";
        expect(pods.map(({ metadata }) => metadata.annotations?.[key]).sort()).toEqual(["0", "1"]);
        expect(pods[0]?.spec?.containers?.[0]?.env).toEqual([
          {
            name: "JOB_COMPLETION_INDEX",
            valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.${keptIn}['${key}']` } },
          },
        ]);
        for (const pod of pods) await end(scenario, pod, "Succeeded");
        const { status } = await scenario.until(Job, ref, isJobFinished);
        expect(status).toMatchObject({ succeeded: 2, completedIndexes: "0,1" });
        expect(status?.conditions?.at(-1)).toMatchObject({ type: "Complete" });
      },
      options,
    ));

  test("fails at the limit, and deletes its other pods", () =>
    withControllers([jobController], async (scenario) => {
      await scenario.create(Job, job({ completions: 2, parallelism: 2, backoffLimit: 0 }));
      const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
      await end(scenario, pods[0], "Failed");
      const { status } = await scenario.until(Job, ref, isJobFinished);
      expect(status?.failed).toBe(2);
      expect(status?.conditions?.at(-1)).toMatchObject({ type: "Failed", reason: "BackoffLimitExceeded" });
      const [left] = await scenario.untilAll(Pod, namespace, (all) => all.length === 1);
      expect(left?.metadata.name).toBe(pods[0]?.metadata.name);
    }));

  test("creates no pod twice when it is suspended and resumed", () =>
    withControllers(
      [jobController],
      async (scenario) => {
        await scenario.create(Job, job({ completions: 3, parallelism: 3 }));
        await scenario.untilAll(Pod, namespace, (all) => all.length === 3);
        await scenario.client.of(Job).patch(ref, { spec: { suspend: true } });
        await scenario.untilAll(Pod, namespace, (all) => all.length === 0);
        await scenario.client.of(Job).patch(ref, { spec: { suspend: false } });
        await scenario.untilAll(Pod, namespace, (all) => all.length === 3);
        // The status of before the suspension names three pods as well.
        const isResumed = ({ status }: Job) => status?.conditions?.[0]?.status === "False" && status.active === 3;
        const { status } = await scenario.until(Job, ref, isResumed);
        expect(status?.conditions?.[0]).toMatchObject({ type: "Suspended" });
      },
      options,
    ));
});

describe("the pods of a job at level 1.35", () => {
  const today = { server: { emulatedVersion: "1.35" } } as const;
  const finalizer = "batch.orch.io/job-tracking";
  const isHeld = ({ metadata }: Pod) => metadata.finalizers?.includes(finalizer) === true;

  test("are kept until they are counted, and count although they are deleted then", () =>
    withControllers(
      [jobController],
      async (scenario) => {
        const { client, create, until, untilAll } = scenario;
        await create(Job, job({ completions: 2, parallelism: 1 }));
        for (const done of [1, 2]) {
          const [pod] = await untilAll(Pod, namespace, (all) => all.length === 1 && all.every(isHeld));
          await end(scenario, pod, "Succeeded");
          await until(Job, ref, ({ status }) => status?.succeeded === done);
          const released = await untilAll(Pod, namespace, (all) => all.some((each) => !isHeld(each)));
          const { name = "" } = released.find((each) => !isHeld(each))?.metadata ?? {};
          await client.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0 });
        }
        const { status } = await until(Job, ref, isJobFinished);
        expect(status).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {}, terminating: 0 });
        expect(status?.failed).toBeUndefined();
      },
      today,
    ));

  test("count as failed when somebody deletes them, and are replaced after a while", () =>
    withControllers(
      [jobController],
      async ({ client, create, until, untilAll }) => {
        await create(Job, job({ parallelism: 1 }));
        const [pod] = await untilAll(Pod, namespace, (all) => all.length === 1);
        await client.of(Pod).delete({ namespace, name: pod?.metadata.name ?? "" });
        await until(Job, ref, ({ status }) => status?.failed === 1 && status.active === 1);
        await untilAll(Pod, namespace, (all) => all.length === 1 && all[0]?.metadata.uid !== pod?.metadata.uid);
      },
      // For this controller the delay has passed.
      { ...today, clock: { ...systemClock, now: () => systemClock.now() + podBackoffMsMax } },
    ));

  test("do not count as failed when a success policy ends the job", () =>
    withControllers(
      [jobController],
      async (scenario) => {
        const successPolicy = { rules: [{ succeededIndexes: "1" }] };
        await scenario.create(
          Job,
          job({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0, successPolicy }),
        );
        const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 3);
        const isSecond = ({ metadata }: Pod) => metadata.annotations?.["batch.orch.io/job-completion-index"] === "1";
        await end(scenario, pods.find(isSecond), "Succeeded");
        const { status } = await scenario.until(Job, ref, isJobFinished);
        expect(status).toMatchObject({ succeeded: 1, completedIndexes: "1", terminating: 0, ready: 0 });
        expect(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
          "SuccessCriteriaMet SuccessPolicy",
          "Complete SuccessPolicy",
        ]);
        expect([status?.failed, status?.active]).toEqual([undefined, undefined]);
        await scenario.untilAll(Pod, namespace, (all) => all.length === 1);
      },
      today,
    ));

  test("do not count when the job is suspended, and are released when it is deleted", () =>
    withControllers(
      [jobController],
      async ({ client, create, until, untilAll }) => {
        await create(Job, job({ parallelism: 2 }));
        await untilAll(Pod, namespace, (all) => all.length === 2);
        await client.of(Job).patch(ref, { spec: { suspend: true } });
        await untilAll(Pod, namespace, (all) => all.length === 0);
        const suspended = await until(Job, ref, ({ status }) => status?.conditions?.[0]?.status === "True");
        expect(suspended.status?.failed).toBeUndefined();
        await client.of(Job).patch(ref, { spec: { suspend: false } });
        await untilAll(Pod, namespace, (all) => all.length === 2);
        await client.of(Job).delete(ref, { propagationPolicy: "Background" });
        await untilAll(Pod, namespace, (all) => all.length === 2 && !all.some(isHeld));
      },
      today,
    ));
});

test("the delay after failures grows up to a limit, and progress ends it", () => {
  const backoff = createJobBackoff();
  expect(backoff.delayMs("a")).toBe(0);
  expect([1, 2, 3].map(() => backoff.failed("a"))).toEqual([10_000, 20_000, 40_000]);
  expect(backoff.delayMs("a")).toBe(40_000);
  expect(backoff.delayMs("b")).toBe(0);
  for (let count = 0; count < 20; count++) backoff.failed("a");
  expect(backoff.delayMs("a")).toBe(jobBackoffMsMax);
  backoff.forget("a");
  expect(backoff.delayMs("a")).toBe(0);
});

test("a failed pod delays the next one, longer with each failure since the last success", () => {
  const at = (seconds: number) => podOf({ created: new Date(seconds * 1000).toISOString() });
  const once = failureRunAfter(noFailures, [], [at(100)]);
  expect([delayLeftMs(once, 104_000), delayLeftMs(once, 110_000), delayLeftMs(noFailures, 0)]).toEqual([6000, 0, 0]);
  const thrice = failureRunAfter(once, [], [at(120), at(130)]);
  expect(delayLeftMs(thrice, 130_000)).toBe(40_000);
  expect(delayLeftMs({ count: 30, lastMs: 0 }, 0)).toBe(podBackoffMsMax);
  const beforeTheClockWasSetBack = Date.parse("2036-01-01T00:00:00Z");
  expect(delayLeftMs({ count: 30, lastMs: beforeTheClockWasSetBack }, 0)).toBe(0);
  expect(failureRunAfter(thrice, [at(140)], [])).toEqual(noFailures);
  expect(failureRunAfter(thrice, [at(140)], [at(135), at(150)])).toEqual({ count: 1, lastMs: 150_000 });
});
