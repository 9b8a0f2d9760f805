import { describe, expect, test } from "vitest";
import { CronJob, type CronJobSpec } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { Event } from "../../api/core/v1/event.ts";
import { timeText } from "../../machinery/values/time.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { cronJobController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "c" };
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const complete = {
  startTime: "2024-01-01T00:00:00Z",
  completionTime: "2024-01-01T00:00:00Z",
  conditions: [
    { type: "SuccessCriteriaMet", status: "True" },
    { type: "Complete", status: "True" },
  ],
};

const dayMs = 86_400_000;

/** Every Sunday. The runs of the last two weeks were missed, so one is due at once: of even distances v1.21 knows which. */
async function startLate({ client, create }: Scenario, spec: Partial<CronJobSpec>): Promise<void> {
  const jobTemplate = { metadata: { labels: { from: "cron" } }, spec: { template } };
  await create(CronJob, { metadata: { ...ref }, spec: { schedule: "0 0 * * 0", jobTemplate, ...spec } });
  await missRun({ client });
}
const missRun = ({ client }: Pick<Scenario, "client">, lastScheduleTime = timeText(Date.now() - 15 * dayMs)) =>
  client.of(CronJob).patch(ref, { status: { lastScheduleTime } }, { subresource: "status" });

describe("cronjob", () => {
  test("starts the missed run once, and records its end", () =>
    withControllers([cronJobController], async (scenario) => {
      await startLate(scenario, {});
      const [job] = await scenario.untilAll(Job, namespace, (all) => all.length === 1);
      expect(job?.metadata.name).toMatch(/^c-[0-9]+$/);
      expect(job?.metadata.labels?.["from"]).toBe("cron");
      const started = await scenario.until(CronJob, ref, ({ status }) => status?.active?.length === 1);
      expect(started.status?.active?.[0]).toMatchObject({
        kind: "Job",
        apiVersion: "batch/v1",
        name: job?.metadata.name,
      });
      const name = job?.metadata.name ?? "";
      await scenario.client.of(Job).patch({ namespace, name }, { status: complete }, { subresource: "status" });
      const ended = await scenario.until(CronJob, ref, ({ status }) => status?.active === undefined);
      expect(ended.status?.lastSuccessfulTime).toBe("2024-01-01T00:00:00Z");
    }));

  test("skips a run while another is active with Forbid, and replaces it with Replace", () =>
    withControllers([cronJobController], async (scenario) => {
      await startLate(scenario, { concurrencyPolicy: "Forbid" });
      const [first] = await scenario.untilAll(Job, namespace, (all) => all.length === 1);
      await scenario.until(CronJob, ref, ({ status }) => status?.active?.length === 1);
      await scenario.client.of(CronJob).patch(ref, { spec: { schedule: "0 0 * * 1" } });
      await missRun(scenario);
      await scenario.untilAll(Event, namespace, (all) => all.some(({ reason }) => reason === "JobAlreadyActive"));
      expect((await scenario.client.of(Job).list({ namespace })).items).toHaveLength(1);
      await scenario.client.of(CronJob).patch(ref, { spec: { concurrencyPolicy: "Replace" } });
      await scenario.untilAll(
        Job,
        namespace,
        (all) => all.length === 1 && all[0]?.metadata.uid !== first?.metadata.uid,
      );
    }));

  test("keeps a limited number of finished jobs", () =>
    withControllers([cronJobController], async ({ client, create, untilGone }) => {
      const spec = { schedule: "0 0 1 1 *", successfulJobsHistoryLimit: 1, jobTemplate: { spec: { template } } };
      const { metadata } = await create(CronJob, { metadata: { ...ref }, spec });
      const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: metadata.uid ?? "", controller: true };
      for (const [index, name] of ["h1", "h2"].entries()) {
        await create(Job, { metadata: { name, namespace, ownerReferences: [owner] }, spec: { template } });
        const status = { ...complete, startTime: `2023-01-0${index + 1}T00:00:00Z` };
        await client.of(Job).patch({ namespace, name }, { status }, { subresource: "status" });
      }
      await untilGone(Job, { namespace, name: "h1" });
      expect((await client.of(Job).get({ namespace, name: "h2" })).metadata.name).toBe("h2");
    }));
});
