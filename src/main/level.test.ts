import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createServer } from "./library.ts";

const groupVersions = async (server: Awaited<ReturnType<typeof createServer>>) => {
  const { groups } = (await (await server.fetch("/apis")).json()) as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  return groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
};

test("a server serves the versions of its level, and says which release that is", async () => {
  await using early = await createServer({ controllers: false });
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  expect(await (await early.fetch("/version")).json()).toMatchObject({ major: "1", minor: "21" });
  expect(await (await late.fetch("/version")).json()).toMatchObject({
    minor: "35",
    emulationMinor: "35",
    minCompatibilityMinor: "34",
  });
  expect(await groupVersions(early)).toContain("batch/v1beta1");
  expect((await groupVersions(late)).filter((each) => each.includes("beta"))).toEqual([]);
  expect((await early.fetch("/apis/policy/v1beta1/podsecuritypolicies")).status).toBe(200);
  expect((await late.fetch("/apis/policy/v1beta1/podsecuritypolicies")).status).toBe(404);
});

test("a level that does not exist is refused with those that do", async () => {
  const server = createServer({ emulatedVersion: "1.30" as "1.35" }); // as a program in JavaScript may
  await expect(server).rejects.toThrow('emulatedVersion: must be 1.21 or 1.35, not "1.30"');
});

test("a folder can be opened at a higher level, where objects of gone versions are read, but not at a lower one", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "orch-level-"));
  try {
    const cronJob = {
      apiVersion: "batch/v1beta1",
      kind: "CronJob",
      metadata: { name: "nightly" },
      spec: {
        schedule: "@daily",
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
        },
      },
    };
    const early = await createServer({ dataDir, controllers: false });
    const made = await early.fetch("/apis/batch/v1beta1/namespaces/default/cronjobs", {
      method: "POST",
      body: JSON.stringify(cronJob),
    });
    expect(made.status).toBe(201);
    await early.close();

    const late = await createServer({ dataDir, emulatedVersion: "1.35", controllers: false });
    const read = await late.fetch("/apis/batch/v1/namespaces/default/cronjobs/nightly");
    expect(await read.json()).toMatchObject({ apiVersion: "batch/v1", spec: { schedule: "@daily" } });
    await late.close();

    await expect(createServer({ dataDir, controllers: false })).rejects.toThrow("start with --emulated-version=1.35");
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
