import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/seeded-random.ts";
import type { KvEntry } from "../../src/kv/contract.ts";
import { discardDamaged } from "../../src/kv/embedded/discard.ts";
import { inspectStore } from "../../src/kv/embedded/inspect.ts";
import { checkFolder } from "../../src/main/backup/check-store.ts";
import { type CreateServerOptions, createServer, type OrchServer } from "../../src/main/library.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
/** F6 in docs/security-rows.md. */
const damagedMax = isLong ? Number.POSITIVE_INFINITY : 4;
const configMaps = "/api/v1/namespaces/default/configmaps";

interface Folder {
  readonly path: string;
  readonly entries: readonly KvEntry[];
}

let parent = "";
let pristine: Folder;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "orch-damaged-"));
  pristine = await fill("pristine", { authorization: "RBAC", nodes: 1 });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function create(server: OrchServer, name: string): Promise<number> {
  const body = JSON.stringify({ metadata: { name }, data: { text: `the text of ${name}` } });
  return (await server.fetch(configMaps, { method: "POST", body })).status;
}

async function fill(name: string, options: CreateServerOptions): Promise<Folder> {
  const path = join(parent, name);
  const server = await createServer({ ...options, dataDir: path });
  for (const configMap of ["one", "two", "three"]) await create(server, configMap);
  await server.close();
  const entries: KvEntry[] = [];
  await inspectStore({
    folder: join(path, "store"),
    onEntry: (entry) => entries.push({ ...entry, value: Uint8Array.from(entry.value) }),
    onProblem: (problem) => expect.fail(problem),
  });
  return { path, entries };
}

/** A copy of the folder in which one bit of what is stored under the key is another. */
async function damaged(key: string, { path: from, entries } = pristine): Promise<string> {
  const dataDir = join(parent, "damaged");
  await rm(dataDir, { recursive: true, force: true });
  await cp(from, dataDir, { recursive: true });
  const path = join(dataDir, "store", "data.mdb");
  const data = await readFile(path);
  const value = Buffer.from(entries.find((entry) => entry.key === key)!.value);
  for (let at = data.indexOf(value); at >= 0; at = data.indexOf(value, at + 1)) data[at + (value.length >> 1)]! ^= 4;
  await writeFile(path, data);
  return dataDir;
}

test("a damaged object is told, the server works without it, and it can be discarded", async () => {
  const key = "/core/configmaps/default/two";
  const dataDir = await damaged(key);
  const server = await createServer({ dataDir });
  const get = async (path: string) => {
    const answer = await server.fetch(path);
    return [answer.status, await answer.text()] as const;
  };
  const told = 'configmaps \\"default/two\\" cannot be read: the record of revision';
  expect(await get(`${configMaps}/two`)).toEqual([500, expect.stringContaining(told)]);
  // A list without it would look like a deletion to controllers.
  expect(await get(configMaps)).toEqual([500, expect.stringContaining(told)]);
  expect((await get(`${configMaps}/one`))[0]).toBe(200);
  expect((await get("/api/v1/namespaces/kube-system/configmaps"))[0]).toBe(200);
  expect((await get("/api/v1/secrets"))[0]).toBe(200);
  expect((await get("/readyz"))[0]).toBe(200);
  expect(await create(server, "four")).toBe(201);
  expect(await create(server, "two")).toBe(409);
  expect((await server.fetch(`${configMaps}/two`, { method: "DELETE" })).status).toBe(500);
  await server.close();

  const report = await checkFolder(dataDir);
  expect(report.problems).toEqual([expect.stringContaining(`(key ${JSON.stringify(key)}) is damaged`)]);
  await discardDamaged(join(dataDir, "store"), [key]);
  expect(await checkFolder(dataDir)).toMatchObject({ sound: true });
  await using again = await createServer({ dataDir });
  expect((await again.fetch(`${configMaps}/two`)).status).toBe(404);
  expect((await again.fetch(configMaps)).status).toBe(200);
  expect(await create(again, "two")).toBe(201);
});

test(
  "whichever object is damaged, the server starts",
  async () => {
    const random = seededRandom(Date.now() % 1_000_000);
    const keys = pristine.entries.map(({ key }) => key);
    const chosen = keys.sort(() => random() - 0.5).slice(0, damagedMax);
    for (const [index, key] of chosen.entries()) {
      const dataDir = await damaged(key);
      const emulatedVersion = index % 2 === 0 ? "1.21" : "1.35";
      const server = await createServer({ dataDir, authorization: "RBAC", emulatedVersion }).catch((cause: unknown) => {
        throw new Error(`no server starts when ${key} is damaged`, { cause });
      });
      const name = "another";
      const answer = await server.fetch("/version");
      expect([key, answer.status]).toEqual([key, 200]);
      const status = await create(server, name);
      // Where the damaged object is one that a write needs, such as its namespace.
      expect([key, [201, 500].includes(status)]).toEqual([key, true]);
      await server.close();
    }
  },
  isLong ? 600_000 : 60_000,
);

// Roles in this namespace have other rules at this level, so a start writes them.
test("a damaged namespace does not keep a server of another level from starting", async () => {
  const dataDir = await damaged("/core/namespaces/orch-system");
  await using server = await createServer({ dataDir, authorization: "RBAC", emulatedVersion: "1.35" });
  expect((await server.fetch("/readyz")).status).toBe(200);
  expect(await create(server, "another")).toBe(201);
});

test("no damaged object that a start writes keeps the server from starting", { timeout: 60_000 }, async () => {
  const options: CreateServerOptions = {
    emulatedVersion: "1.35",
    featureGates: { StorageVersionAPI: true },
    runtimeConfig: { "internal.apiserver.orch.io/v1alpha1": true },
  };
  const folder = await fill("later", options);
  const written =
    /servicecidrs\/orch$|leases\/orch-system\/apiserver-|storageversions\/core\.pods$|services\/default\/orch$/;
  const keys = folder.entries.map(({ key }) => key).filter((key) => written.test(key));
  expect(keys).toHaveLength(4);
  for (const key of keys) {
    const dataDir = await damaged(key, folder);
    const server = await createServer({ ...options, dataDir }).catch((cause: unknown) => {
      throw new Error(`no server starts when ${key} is damaged`, { cause });
    });
    expect([key, (await server.fetch("/readyz")).status]).toEqual([key, 200]);
    await server.close();
  }
});
