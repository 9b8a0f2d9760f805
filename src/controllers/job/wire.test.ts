import { describe, expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { isJobFinished } from "../parts/jobs/finished.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { createJobBackoff, jobBackoffMsMax } from "./backoff.ts";
import { jobController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "j" };
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const job = (spec: Partial<Job["spec"]>): Job => ({ metadata: { ...ref }, spec: { template, ...spec } });
const end = ({ client }: Scenario, pod: Pod | undefined, phase: string) =>
  client.of(Pod).patch({ namespace, name: pod?.metadata.name ?? "" }, { status: { phase } }, { subresource: "status" });
const options = { featureGates: { IndexedJob: true, SuspendJob: true } };

describe("job", () => {
  test("runs pods with indexes until all have succeeded", () =>
    withControllers(
      [jobController],
      async (scenario) => {
        await scenario.create(Job, job({ completionMode: "Indexed", completions: 2, parallelism: 2 }));
        const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
        const key = "batch.orch.io/job-completion-index";
        expect(pods.map(({ metadata }) => metadata.annotations?.[key]).sort()).toEqual(["0", "1"]);
        expect(pods[0]?.spec?.containers?.[0]?.env).toEqual([
          {
            name: "JOB_COMPLETION_INDEX",
            valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.annotations['${key}']` } },
          },
        ]);
        for (const pod of pods) await end(scenario, pod, "Succeeded");
        const { status } = await scenario.until(Job, ref, isJobFinished);
        expect(status).toMatchObject({ succeeded: 2, completedIndexes: "0,1", conditions: [{ type: "Complete" }] });
      },
      options,
    ));

  test("fails at the limit, and deletes its other pods", () =>
    withControllers([jobController], async (scenario) => {
      await scenario.create(Job, job({ completions: 2, parallelism: 2, backoffLimit: 0 }));
      const pods = await scenario.untilAll(Pod, namespace, (all) => all.length === 2);
      await end(scenario, pods[0], "Failed");
      const { status } = await scenario.until(Job, ref, isJobFinished);
      expect(status).toMatchObject({ failed: 2, conditions: [{ type: "Failed", reason: "BackoffLimitExceeded" }] });
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
        const active = await scenario.until(Job, ref, ({ status }) => status?.active === 3);
        expect(active.status?.conditions?.[0]).toMatchObject({ type: "Suspended", status: "False" });
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

  test("count as failed when somebody deletes them, and are replaced", () =>
    withControllers(
      [jobController],
      async ({ client, create, until, untilAll }) => {
        await create(Job, job({ parallelism: 1 }));
        const [pod] = await untilAll(Pod, namespace, (all) => all.length === 1);
        await client.of(Pod).delete({ namespace, name: pod?.metadata.name ?? "" });
        await until(Job, ref, ({ status }) => status?.failed === 1 && status.active === 1);
        await untilAll(Pod, namespace, (all) => all.length === 1 && all[0]?.metadata.uid !== pod?.metadata.uid);
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
