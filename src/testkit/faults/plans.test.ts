import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../../main/library.ts";
import { rememberedMax } from "./stale-lists.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const plans = "/apis/testing.orch.io/v1alpha1/faultplans";
const post = (server: OrchServer, path: string, body: unknown) =>
  server.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const plan = (name: string, spec: object) => ({
  apiVersion: "testing.orch.io/v1alpha1",
  kind: "FaultPlan",
  metadata: { name },
  spec,
});
const isActive = (object: unknown) => (object as { status?: { active?: boolean } }).status?.active === true;
const status = async (server: OrchServer, path: string) => (await server.fetch(path)).status;

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`a plan makes requests fail until it is deleted, and shows its hits, with the names of ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, controllers: false, faultPlans: true });
    const spec = {
      match: { verb: ["get", "list"], resource: "configmaps" },
      do: { status: 429, retryAfterSeconds: 3 },
    };
    expect((await post(server, plans, plan("busy", spec))).status).toBe(201);
    await server.until("FaultPlan", "busy", isActive);
    const refused = await server.fetch(maps);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"]);
    expect(await status(server, `${maps}/a`)).toBe(429);
    const hits = (object: unknown) => (object as { status: { hits: number } }).status.hits === 2;
    await server.until("FaultPlan", "busy", hits);
    expect(await (await server.fetch("/version")).json()).toMatchObject({ activeFaults: 1, major: "1" });
    await server.fetch(`${plans}/busy`, { method: "DELETE" });
    await expect.poll(() => status(server, maps)).toBe(200);
    expect(await (await server.fetch("/version")).json()).not.toHaveProperty("activeFaults");
  });

test("a changed plan takes the place of the former one, and an impossible one says why", async () => {
  await using server = await createServer({ controllers: false, faultPlans: true });
  await server.load([plan("p", { match: { resource: "configmaps" }, do: { status: 503 } })]);
  await server.until("FaultPlan", "p", isActive);
  expect(await status(server, maps)).toBe(503);
  await server.load([plan("p", { match: { resource: "secrets" }, do: { status: 500 } })]);
  await expect.poll(() => status(server, maps)).toBe(200);
  expect(await status(server, "/api/v1/secrets")).toBe(500);
  await server.load([plan("q", { do: { status: 500, connection: "cut" } })]);
  const why = (object: unknown) =>
    ((object as { status?: { message?: string } }).status?.message ?? "").includes("a fault does one of");
  await server.until("FaultPlan", "q", why);
  await server.load([plan("r", { match: { verbs: ["get"] }, do: { status: 500 } })]);
  const namesMember = (object: unknown) =>
    ((object as { status?: { message?: string } }).status?.message ?? "").includes('did you mean "verb"?');
  await server.until("FaultPlan", "r", namesMember);
  const code = async (spec: object) => (await post(server, plans, plan("x", spec))).status;
  expect(await code({ do: { status: 200 } })).toBe(422);
  expect(await code({ do: { events: "lose" } })).toBe(422);
  expect(await code({ match: { nth: 0 }, do: { status: 500 } })).toBe(422);
  expect(await code({})).toBe(422);
});

test("plans are not served unless they are asked for, and those of a server are active in its forks", async () => {
  await using plain = await createServer({ controllers: false });
  expect(await status(plain, plans)).toBe(404);
  await using server = await createServer({ controllers: false, faultPlans: true });
  await server.load([plan("p", { match: { resource: "configmaps" }, do: { status: 503 } })]);
  await server.until("FaultPlan", "p", isActive);
  await using fork = await server.fork();
  expect(await status(fork, maps)).toBe(503);
});

test("plans that an earlier start has left are neither served nor active without testing, are there again with it, and are gone with their definition", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-plans-"));
  const open = (faultPlans: boolean) => createServer({ controllers: false, dataDir: folder, faultPlans });
  const spec = { match: { resource: "configmaps" }, do: { status: 503 } };
  try {
    await using first = await open(true);
    await first.load([plan("p", spec)]);
    await first.until("FaultPlan", "p", isActive);
    await first.close();
    await using plain = await open(false);
    expect(await status(plain, plans)).toBe(404);
    expect((await post(plain, plans, plan("q", spec))).status).toBe(404);
    expect(await status(plain, maps)).toBe(200);
    expect(await (await plain.fetch("/apis")).text()).not.toContain("testing.orch.io");
    await plain.close();
    await using again = await open(true);
    expect(await status(again, `${plans}/p`)).toBe(200);
    expect(await status(again, maps)).toBe(503);
    await again.close();
    await using unserved = await open(false);
    const definition = "/apis/apiextensions.orch.io/v1/customresourcedefinitions/faultplans.testing.orch.io";
    expect((await unserved.fetch(definition, { method: "DELETE" })).status).toBe(200);
    await unserved.untilGone("CustomResourceDefinition", "faultplans.testing.orch.io");
    await unserved.close();
    await using last = await open(true);
    expect(await status(last, `${plans}/p`)).toBe(404);
    expect(await status(last, maps)).toBe(200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a stale list is answered as the one before, and only lists are", async () => {
  await using server = await createServer({ controllers: false });
  const names = async (query = "") =>
    ((await (await server.fetch(`${maps}${query}`)).json()) as { items: { metadata: { name: string } }[] }).items.map(
      ({ metadata }) => metadata.name,
    );
  const stale = server.faults.add({ match: { resource: "configmaps", every: 2 }, do: { list: "stale" } });
  expect(await names()).toEqual([]);
  await post(server, maps, { metadata: { name: "a" } });
  expect(await status(server, `${maps}/a`)).toBe(200);
  expect(await names()).toEqual([]);
  expect(stale.hits).toBe(1);
  expect(await names()).toEqual(["a"]);
  stale.remove();
  const always = server.faults.add({ do: { list: "stale" } });
  for (let at = 0; at <= rememberedMax; at++) await names(`?labelSelector=x%3Dy${at}`);
  expect(always.hits).toBe(0);
  expect(await names("?labelSelector=x%3Dy0")).toEqual([]);
  expect(always.hits).toBe(1);
  expect(await names(`?labelSelector=x%3Dy${rememberedMax}`)).toEqual([]); // not remembered, so it is never stale
  expect(always.hits).toBe(1);
});
