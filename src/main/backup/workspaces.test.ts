/** Checks, backups, migrations and new keys of a store with workspaces. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { findEtcd, startTestEtcd } from "../../kv/etcd/server.fixture.ts";
import { findPostgres, startTestPostgres } from "../../kv/postgres/server.fixture.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { runMigrate } from "../commands/migrate.ts";
import { runRestore } from "../commands/restore.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { createServer } from "../library.ts";
import { openApiServer } from "../programs/apiserver.ts";
import { partsOf } from "../stores/data-folder.ts";
import { checkBackup, checkFolder } from "./check-store.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-workspaces-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const all = "/apis/tenancy.orch.io/v1alpha1";
const maps = "/api/v1/namespaces/default/configmaps";
const toys = "/apis/example.com/v1/namespaces/default/toys";
const roles = "/apis/rbac.authorization.orch.io/v1/clusterroles";
const definition = {
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const type = { metadata: { name: "team" }, spec: { objects: [definition] } };
const toy = { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "train" } };

interface Asks {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}
const send = async ({ fetch }: Asks, method: string, path: string, body?: object) => {
  const headers = { "content-type": "application/json" };
  return (await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;
};
const namesOf = async ({ fetch }: Asks, path: string) => {
  const answer = await fetch(path);
  if (!answer.ok) return answer.status;
  const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
};

/** A folder with a workspace of a type, which has changed what it began with. */
async function makeFolder(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await using server = await createServer({ workspaces: true, controllers: false, dataDir });
  expect(await send(server, "POST", `${all}/workspacetypes`, type)).toBe(201);
  const shop = await server.workspace("shop", { type: "team" });
  expect(await send(shop, "POST", maps, { metadata: { name: "prices" } })).toBe(201);
  expect(await send(shop, "POST", toys, toy)).toBe(201);
  expect(await send(shop, "DELETE", `${roles}/view`)).toBe(200);
  await server.workspace("bank");
  return dataDir;
}

/** What makeFolder has written, through a server with any store. */
async function expectWhole(server: Asks): Promise<void> {
  const at = (path: string) => `/clusters/shop${path}`;
  expect(await namesOf(server, `${all}/workspaces`)).toEqual(["bank", "shop"]);
  expect(await namesOf(server, at(maps))).toEqual(["prices"]);
  expect(await namesOf(server, at(toys))).toEqual(["train"]);
  expect(await namesOf(server, toys)).toBe(404);
  expect(await namesOf(server, `/clusters/bank${toys}`)).toBe(404);
  expect((await server.fetch(at(`${roles}/view`))).status).toBe(404);
  expect((await server.fetch(at(`${roles}/edit`))).status).toBe(200);
  // It is not only read: objects of the base and its own change under the versions that are shown.
  for (const path of [at(`${roles}/edit`), at(`${maps}/prices`)]) {
    const found = (await (await server.fetch(path)).json()) as { metadata: { labels?: object } };
    const labels = { ...found.metadata.labels, moved: "yes" };
    expect(await send(server, "PUT", path, { ...found, metadata: { ...found.metadata, labels } })).toBe(200);
  }
}

test("a store with workspaces is sound, and a damaged object is named with its workspace", async () => {
  const dataDir = await makeFolder("checked");
  expect(await checkFolder(dataDir)).toMatchObject({ sound: true, problems: [] });
  const kv = await openEmbeddedKv({ folder: partsOf(dataDir).store, syncMode: "none" });
  const { entries } = await kv.range("workspaces/");
  const [uid = ""] = entries.map(({ key }) => key.split("/")[1]!).slice(-1);
  const key = (name: string) => `workspaces/${uid}//core/configmaps/default/${name}`;
  await kv.put(key("broken"), Buffer.from("{"), 0n);
  await kv.put(
    `workspaces/${uid}//custom:other.example.com/carts/default/c`,
    Buffer.from(JSON.stringify({ ...toy, metadata: { name: "c", namespace: "default", uid: "c" } })),
    0n,
  );
  await kv.close();
  const { problems } = await checkFolder(dataDir);
  expect(problems.join("\n")).toMatch(/broken" \(workspace (shop|bank)\): its bytes are not JSON/);
  expect(problems.join("\n")).toMatch(
    /objects of "carts\.other\.example\.com" in the workspace (shop|bank), but no such CustomResourceDefinition/,
  );
  expect(problems).toHaveLength(2);
});

test("a server without workspaces opens the store as the root, and says that there are some", async () => {
  const dataDir = await makeFolder("plain");
  const { values } = parseFlags(apiserverFlags, [
    ...[`--data-dir=${dataDir}`, "--secure-port=0", "--bind-address=127.0.0.1"],
    "--disable-admission-plugins=ServiceAccount",
  ]);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const opened = await openApiServer({ flags: values, clock: systemClock, log });
  const plain = { fetch: createMemoryFetch(opened.server.handler, { user: serverUser }) };
  expect(warnings).toContain("the store has workspaces, which are served with --workspaces");
  expect(await namesOf(plain, `${all}/workspaces`)).toBe(404);
  expect(await namesOf(plain, `/clusters/shop${maps}`)).toBe(404);
  await opened.stop();
});

const stores = [
  {
    name: "etcd",
    async start() {
      const store = await startTestEtcd(findEtcd()!);
      return { flags: [`--kvstore-servers=${store.endpoint}`], remove: () => store.remove() };
    },
    isThere: findEtcd() !== undefined,
  },
  {
    name: "postgres",
    async start() {
      const store = await startTestPostgres(findPostgres()!);
      return { flags: [`--store=${store.address()}`], remove: () => store.remove() };
    },
    isThere: findPostgres() !== undefined,
  },
].filter(({ isThere }) => isThere);

describe.each(stores)("workspaces move to $name", ({ name, start }) => {
  let store: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    store = await start();
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await store?.remove();
  });

  test("and back, with what they began with and what they have changed of it", async () => {
    const from = await makeFolder(`from-${name}`);
    await runMigrate([`--to=${name}`, `--data-dir=${from}`, ...store.flags]);
    const { values } = parseFlags(apiserverFlags, [
      ...["--workspaces", ...store.flags, "--secure-port=0", "--bind-address=127.0.0.1"],
      "--disable-admission-plugins=ServiceAccount",
    ]);
    const opened = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
    const fetch = createMemoryFetch(opened.server.handler, { user: serverUser });
    await expectWhole({ fetch });
    await opened.stop();
    const back = join(folder, `back-${name}`);
    await runMigrate(["--to=embedded", `--data-dir=${back}`, ...store.flags]);
    expect(await checkFolder(back)).toMatchObject({ sound: true, problems: [] });
    await using server = await createServer({ workspaces: true, controllers: false, dataDir: back });
    await expectWhole(server);
    const file = join(folder, `${name}.backup`);
    await server.snapshot(file);
    expect(await checkBackup(file)).toMatchObject({ sound: true, problems: [] });
    const restored = join(folder, `restored-${name}`);
    await runRestore([file, `--data-dir=${restored}`]);
    await using again = await createServer({ workspaces: true, controllers: false, dataDir: restored });
    await expectWhole(again);
  });
});
