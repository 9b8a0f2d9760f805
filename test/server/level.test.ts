import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareReleases } from "../../src/base/release.ts";
import { type Level, levels } from "../../src/machinery/schema/levels.ts";
import { createServer } from "../../src/main/library.ts";

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

test("a level or a vocabulary that does not exist is refused with those that do", async () => {
  const spoken = createServer({ vocabulary: "neutral" as "orch" }); // as a program in JavaScript may
  await expect(spoken).rejects.toThrow('vocabulary must be "orch" or "kubernetes", not "neutral"');
  const server = createServer({ emulatedVersion: "1.20" as "1.35" });
  await expect(server).rejects.toThrow('emulatedVersion: must be a release from 1.21 to 1.37, not "1.20"');
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

    const lower = createServer({ dataDir, emulatedVersion: "1.21", controllers: false });
    await expect(lower).rejects.toThrow("start with --emulated-version=1.35");
    await using remembered = await createServer({ dataDir, controllers: false });
    expect(await (await remembered.fetch("/version")).json()).toMatchObject({ minor: "35" });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

const isLong = process.env["LONG_TESTS"] === "1";

test("a folder that rises level by level, and one that rises at once, have the same objects", async () => {
  const folders = await Promise.all(["steps", "once"].map((name) => mkdtemp(join(tmpdir(), `orch-level-${name}-`))));
  const [inSteps, atOnce] = folders as [string, string];
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const objects: readonly (readonly [path: string, body: object])[] = [
    [
      "/apis/batch/v1beta1/namespaces/default/cronjobs",
      { spec: { schedule: "@daily", jobTemplate: { spec: { template } } } },
    ],
    ["/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets", { spec: { minAvailable: 1, selector: {} } }],
    [
      "/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers",
      {
        spec: { maxReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
      },
    ],
    ["/api/v1/namespaces/default/pods", template],
    ["/apis/networking.orch.io/v1/ingressclasses", { spec: { controller: "example.com/c" } }],
  ];
  const readBack = objects.map(([path]) =>
    path.replace("batch/v1beta1", "batch/v1").replace("policy/v1beta1", "policy/v1").replace("v2beta2", "v2"),
  );
  const open = (dataDir: string, emulatedVersion: Level) =>
    createServer({ dataDir, emulatedVersion, controllers: false, authorization: "AlwaysAllow" });
  try {
    for (const dataDir of folders) {
      await using early = await open(dataDir, "1.21");
      for (const [path, body] of objects) {
        const answer = await early.fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ metadata: { name: "x" }, ...body }),
        });
        expect([path, answer.status]).toEqual([path, 201]);
      }
    }
    const found = async (dataDir: string, level: Level) => {
      await using server = await open(dataDir, level);
      const texts: string[] = [];
      for (const path of readBack) {
        const answer = await server.fetch(`${path}/x`);
        expect([level, path, answer.status]).toEqual([level, path, 200]);
        const object = (await answer.json()) as { metadata: Record<string, unknown> };
        for (const name of ["uid", "creationTimestamp", "managedFields", "resourceVersion"])
          delete object.metadata[name];
        texts.push(JSON.stringify(object));
      }
      return texts;
    };
    // Every level takes its time to start: all of them at night.
    const each = isLong ? 1 : 5;
    const rising = [...levels].sort(compareReleases).slice(1, -1);
    for (const level of rising.filter((_, at) => at % each === 0)) await (await open(inSteps, level)).close();
    expect(await found(inSteps, "1.37")).toEqual(await found(atOnce, "1.37"));
    await expect(open(inSteps, "1.36")).rejects.toThrow("start with --emulated-version=1.37");
  } finally {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
});

test("unknown fields and duplicates are told, refused or ignored as a write asks, and ignored at a level without the option", async () => {
  await using early = await createServer({ controllers: false });
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  const path = "/api/v1/namespaces/default/configmaps";
  const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","k":"2"},"extra":1}';
  const told = '299 - "duplicate field \\"data.k\\"", 299 - "unknown field \\"extra\\""';
  const write = async (server: typeof early, query: string) => {
    const { status, headers } = await server.fetch(`${path}?dryRun=All${query}`, { method: "POST", body });
    return [status, headers.get("warning")];
  };
  expect(await write(late, "")).toEqual([201, told]);
  expect(await write(late, "&fieldValidation=Ignore")).toEqual([201, null]);
  const strict = await late.fetch(`${path}?dryRun=All&fieldValidation=Strict`, { method: "POST", body });
  expect(strict.status).toBe(400);
  expect(await strict.text()).toContain(
    'strict decoding error: duplicate field \\"data.k\\", unknown field \\"extra\\"',
  );
  expect((await write(late, "&fieldValidation=Sometimes"))[0]).toBe(422);
  expect(await write(early, "&fieldValidation=Strict")).toEqual([201, null]);

  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  k: "1"\n  k: "2"\n';
  const apply = async (mode: string) => {
    const { status, headers } = await late.fetch(`${path}/b?dryRun=All&fieldManager=m&fieldValidation=${mode}`, {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: yaml,
    });
    return [status, headers.get("warning")];
  };
  expect(await apply("Warn")).toEqual([201, '299 - "line 6: key \\"k\\" already set in map"']);
  expect(await apply("Ignore")).toEqual([201, null]);
  expect((await apply("Strict"))[0]).toBe(400);

  await late.fetch(path, { method: "POST", body });
  const patch = async (mode: string, type: string, document: unknown) => {
    const { status, headers } = await late.fetch(`${path}/a?fieldValidation=${mode}`, {
      method: "PATCH",
      headers: { "content-type": `application/${type}` },
      body: JSON.stringify(document),
    });
    return [status, headers.get("warning")];
  };
  const warning = '299 - "unknown field \\"other\\""';
  expect(await patch("Warn", "merge-patch+json", { other: 1 })).toEqual([200, warning]);
  expect(await patch("Warn", "json-patch+json", [{ op: "add", path: "/other", value: 1 }])).toEqual([200, warning]);
  expect((await patch("Strict", "merge-patch+json", { other: 1 }))[0]).toBe(422);
});

test("unknown fields of a patch are told with their places, also in what it changes only in part", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const pods = "/api/v1/namespaces/default/pods";
  const containers = ["a", "b"].map((name) => ({ name, image: "i" }));
  const pod = { metadata: { name: "p" }, spec: { containers, serviceAccountName: "" } };
  expect((await server.fetch(pods, { method: "POST", body: JSON.stringify(pod) })).status).toBe(201);
  const told = async (type: string, document: unknown) => {
    const headers = { "content-type": `application/${type}` };
    const sent = { method: "PATCH", headers, body: JSON.stringify(document) };
    return (await server.fetch(`${pods}/p?dryRun=All`, sent)).headers.get("warning");
  };
  const labels = { labels: { a: "b" } };
  expect(await told("merge-patch+json", { metadata: labels })).toBeNull();
  expect(await told("merge-patch+json", { metadata: { ...labels, owner: "x" } })).toBe(
    '299 - "unknown field \\"metadata.owner\\""',
  );
  const spec = { containers: [{ name: "b", picture: "i" }], hostName: "h" };
  const warnings = ["spec.containers[1].picture", "spec.hostName"].map((at) => `299 - "unknown field \\"${at}\\""`);
  expect(await told("strategic-merge-patch+json", { spec })).toBe(warnings.join(", "));
  const add = { op: "add", path: "/spec/containers/1/picture", value: "i" };
  expect(await told("json-patch+json", [add])).toBe(warnings[0]);
});

test("an eviction may be written in the version that the level no longer serves, and other kinds may not", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const post = async (path: string, body: object) =>
    (await server.fetch(`/api/v1/namespaces/default/pods${path}`, { method: "POST", body: JSON.stringify(body) }))
      .status;
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], serviceAccountName: "" } };
  expect(await post("", pod)).toBe(201);
  const eviction = (apiVersion: string) => ({ apiVersion, kind: "Eviction", metadata: { name: "p" } });
  expect(await post("/p/eviction", eviction("policy/v1alpha1"))).toBe(400);
  expect(await post("/p/eviction", eviction("policy/v1beta1"))).toBe(201);
});
