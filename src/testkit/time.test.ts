import { describe, expect, test } from "vitest";
import type { CronJob } from "../api/batch/v1/cron-job.ts";
import type { Job } from "../api/batch/v1/job.ts";
import * as kinds from "../main/kinds.ts";
import { createServer, type OrchServer } from "../main/library.ts";

const send = (server: OrchServer, method: string, path: string, body: unknown) =>
  server.fetch(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

async function itemsAt<T>(server: OrchServer, path: string): Promise<T[]> {
  return ((await (await server.fetch(path)).json()) as { items: T[] }).items;
}

const jobsPath = "/apis/batch/v1/namespaces/default/jobs";
const podSpec = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };

describe("a virtual clock", () => {
  test("runs a CronJob of every minute sixty times in an hour", async () => {
    await using server = await createServer({
      clock: { virtual: "2026-01-01T00:00:30Z" },
      controllers: ["cronjob", "job"],
    });
    const spec = {
      schedule: "* * * * *",
      successfulJobsHistoryLimit: 100,
      jobTemplate: { spec: { template: { spec: podSpec } } },
    };
    const made = await send(server, "POST", "/apis/batch/v1/namespaces/default/cronjobs", {
      metadata: { name: "tick" },
      spec,
    });
    expect(made.status).toBe(201);
    await server.clock.advance("1h");
    expect(new Date(server.clock.now()).toISOString()).toBe("2026-01-01T01:00:30.000Z");
    const jobs = await itemsAt<Job>(server, jobsPath);
    expect(jobs).toHaveLength(60);
    expect(new Set(jobs.map(({ metadata }) => metadata.creationTimestamp)).size).toBe(60);
    const cron = await server.until<CronJob>(
      kinds.CronJob,
      "default/tick",
      ({ status }) => status?.lastScheduleTime !== undefined,
    );
    expect(cron.status?.lastScheduleTime).toBe("2026-01-01T01:00:00Z");
  });

  test("lets time to live pass only when it is advanced", async () => {
    await using server = await createServer({ clock: "virtual", controllers: ["job", "ttl-after-finished"] });
    const spec = { ttlSecondsAfterFinished: 100, template: { spec: podSpec } };
    await send(server, "POST", jobsPath, { metadata: { name: "once" }, spec });
    const pods = "/api/v1/namespaces/default/pods";
    await server.settled();
    const [pod] = await itemsAt<{ metadata: { name: string } }>(server, pods);
    const patch = { status: { phase: "Succeeded" } };
    await server.fetch(`${pods}/${pod?.metadata.name}/status`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify(patch),
    });
    await server.until<Job>(kinds.Job, "once", ({ status }) => status?.succeeded === 1);
    await server.clock.advance("99s");
    expect(await itemsAt(server, jobsPath)).toHaveLength(1);
    await server.clock.advance("2s");
    expect(await itemsAt(server, jobsPath)).toHaveLength(0);
  });

  test("refuses what is no duration, and a clock of the system cannot be moved", async () => {
    await using server = await createServer({ clock: "virtual", controllers: false });
    await expect(server.clock.advance("soon")).rejects.toThrow('a clock cannot be advanced by "soon"');
    await expect(server.clock.advance(-1)).rejects.toThrow("cannot be advanced by -1");
    await using real = await createServer({ controllers: false });
    await expect(real.clock.advance("1h")).rejects.toThrow('create it with { clock: "virtual" }');
    await expect(createServer({ clock: { virtual: "yesterday" } })).rejects.toThrow("must be a time");
  });
});

describe("waiting", () => {
  test("settled resolves when the controllers are done", async () => {
    await using server = await createServer({ controllers: ["deployment", "replicaset"] });
    const spec = {
      replicas: 5,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    };
    await send(server, "POST", "/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "web" }, spec });
    await server.settled();
    expect(await itemsAt(server, "/api/v1/namespaces/default/pods")).toHaveLength(5);
    await server.fetch("/apis/apps/v1/namespaces/default/deployments/web", { method: "DELETE" });
    await server.untilGone("Deployment", "web");
    await server.settled();
    expect(await itemsAt(server, "/api/v1/namespaces/default/pods")).toHaveLength(0);
  });

  test("settled on a virtual clock waits for what failed and is tried again", async () => {
    await using server = await createServer({ clock: "virtual", controllers: ["replicaset"] });
    await send(server, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    await server.settled();
    await server.fetch("/api/v1/namespaces/shop", { method: "DELETE" });
    await server.untilGone("namespaces", "shop");
  });

  test("a watcher that does not read is named", async () => {
    await using server = await createServer({ controllers: false });
    const stop = new AbortController();
    const watch = await server.fetch("/api/v1/configmaps?watch=true", { signal: stop.signal });
    const big = { text: "x".repeat(100_000) };
    for (let at = 0; at < 3; at++)
      await send(server, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: `m${at}` }, data: big });
    await expect(server.settled({ timeoutMs: 100 })).rejects.toThrow(
      "did not settle within 100 ms; still at work: a watcher of configmaps that does not read its events",
    );
    stop.abort();
    await watch.text().catch(() => undefined);
    await server.settled();
  });

  test("a wait in vain says what was seen last", async () => {
    await using server = await createServer({ controllers: false });
    await send(server, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "m" }, data: { a: "1" } });
    await expect(server.until("configmaps", "m", () => false, { timeoutMs: 20 })).rejects.toThrow(
      /waited 20 ms in vain for configmaps "m" in "default"; still at work: nothing; last seen: .*"data":{"a":"1"}/,
    );
    await expect(server.until("configmaps", "other", () => true, { timeoutMs: 20 })).rejects.toThrow(
      "it does not exist",
    );
    await expect(server.until("toys", "m", () => true)).rejects.toThrow('the server has no kind "toys"');
  });

  test("an object is returned as soon as it is so, as a copy that may be changed", async () => {
    await using server = await createServer({ controllers: false });
    const waiting = server.until("v1/ConfigMap", "late", () => true, { namespace: "default" });
    await send(server, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "late" } });
    const found = await waiting;
    found.metadata.labels = { mine: "yes" };
    expect(found.metadata.name).toBe("late");
  });
});
