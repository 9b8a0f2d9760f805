import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readBackupFile, writeBackupFile } from "../../kv/backup/file.ts";
import { backupChunks } from "../../kv/backup/write.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { runBackup } from "../commands/backup.ts";
import { runRestore } from "../commands/restore.ts";
import { createServer, type OrchServer } from "../library.ts";
import { backupFixture, capture, sampleKv } from "./backup.suite.ts";
import { checkBackup, checkFolder } from "./check-store.ts";

const { newPath, openServerIn } = backupFixture();

const configMap = (name: string, value: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
const json = { "content-type": "application/json" };
const maps = "/api/v1/namespaces/default/configmaps";

async function write(server: OrchServer, name: string, value: string): Promise<string> {
  const put = await server.fetch(`${maps}/${name}`, { method: "PUT", headers: json, body: configMap(name, value) });
  const answer =
    put.status === 404
      ? await server.fetch(maps, { method: "POST", headers: json, body: configMap(name, value) })
      : put;
  expect(answer.ok).toBe(true);
  return ((await answer.json()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

type Listed = { items: { metadata: { name: string; resourceVersion: string }; data?: { value: string } }[] };
async function valuesOf(server: OrchServer): Promise<Record<string, string>> {
  const list = (await (await server.fetch(maps)).json()) as Listed;
  return Object.fromEntries(list.items.map(({ metadata, data }) => [metadata.name, data?.value ?? ""]));
}

async function configurationOf(server: OrchServer): Promise<string> {
  const path = newPath("config");
  writeFileSync(path, (await server.clientConfig()).text, { mode: 0o600 });
  return path;
}

async function entriesIn(file: string): Promise<{ revision: bigint; entries: KvEntry[] }> {
  let revision = 0n;
  const entries: KvEntry[] = [];
  for await (const part of readBackupFile(file)) {
    if (part.is === "header") revision = part.header.revision;
    if (part.is === "entry") entries.push(part.entry);
  }
  return { revision, entries };
}

describe("`orch backup` and `orch restore`", () => {
  test("a backup taken during writes is the state of its revision, and can be restored to a server", async () => {
    capture();
    const server = await openServerIn(newPath("data"));
    const config = await configurationOf(server);
    for (let index = 0; index < 20; index += 1) await write(server, `before-${index}`, "old");
    const seen: { revision: bigint; name: string; value: string }[] = [];
    let stop = false;
    const writing = (async () => {
      for (let index = 0; !stop; index += 1) {
        const name = `before-${index % 20}`;
        const revision = BigInt(await write(server, name, `new ${index}`));
        seen.push({ revision, name, value: `new ${index}` });
      }
    })();
    const file = newPath("backup");
    await runBackup([file, `--config=${config}`]);
    stop = true;
    await writing;
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const { revision, entries } = await entriesIn(file);
    const expected = new Map(Array.from({ length: 20 }, (_, index) => [`before-${index}`, "old"]));
    for (const one of seen) if (one.revision <= revision) expected.set(one.name, one.value);
    const prefix = "/core/configmaps/default/before-";
    const found = entries
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key, value }) => [key.slice(prefix.length - 7), JSON.parse(Buffer.from(value).toString()).data.value]);
    expect(new Map(found as [string, string][])).toEqual(expected);

    const target = newPath("restored");
    await runRestore([file, `--data-dir=${target}`]);
    expect((await checkFolder(target)).problems).toEqual([]);
    const restored = await openServerIn(target);
    expect(await valuesOf(restored)).toMatchObject(Object.fromEntries(expected));
  });

  test("a restored server never reuses a revision that clients have seen", async () => {
    const output = capture();
    const server = await openServerIn(newPath("data"));
    const config = await configurationOf(server);
    const kept = await write(server, "kept", "1");
    const file = newPath("backup");
    await runBackup([file, `--config=${config}`]);
    const seen = await write(server, "seen", "after the backup");
    const target = newPath("restored");
    await runRestore([file, `--data-dir=${target}`]);
    expect(output.text()).toMatch(/entries of revision \d+; revisions continue after 1\d{9}\n$/);

    const restored = await openServerIn(target);
    const list = (await (await restored.fetch(maps)).json()) as Listed & { metadata: { resourceVersion: string } };
    expect(BigInt(list.metadata.resourceVersion)).toBeGreaterThan(1_000_000_000n);
    expect(list.items.find(({ metadata }) => metadata.name === "kept")?.metadata.resourceVersion).toBe(kept);
    expect(BigInt(await write(restored, "new", "1"))).toBeGreaterThan(1_000_000_000n);
    for (const version of [kept, seen]) {
      const watch = await restored.fetch(`${maps}?watch=true&resourceVersion=${version}&timeoutSeconds=5`);
      expect(await watch.text()).toMatch(/"type":"ERROR".*"code":410/);
      const exact = await restored.fetch(`${maps}?resourceVersion=${version}&resourceVersionMatch=Exact&limit=5`);
      expect(exact.status).toBe(410);
    }
    const from = list.metadata.resourceVersion;
    const watch = await restored.fetch(`${maps}?watch=true&resourceVersion=${from}&timeoutSeconds=1`);
    expect(await watch.text()).toMatch(/^\{"type":"ADDED".*"name":"new"/);
  });

  test("a folder without a server is read directly, and one that a server has open through admin.conf", async () => {
    const output = capture();
    const dataDir = newPath("data");
    const server = await openServerIn(dataDir);
    await write(server, "one", "1");
    await expect(runBackup([newPath("backup"), `--data-dir=${dataDir}`])).rejects.toThrow(
      `a server has ${dataDir} open; name a client configuration for it with --config`,
    );
    writeFileSync(join(dataDir, "admin.conf"), (await server.clientConfig()).text, { mode: 0o600 });
    const [online, offline] = [newPath("backup"), newPath("backup")];
    await runBackup([online, `--data-dir=${dataDir}`]);
    await server.close();
    await runBackup([offline, `--data-dir=${dataDir}`]);
    expect(output.text()).toMatch(/: \d+ entries at revision \d+, .* checked\n/);
    const [first, second] = [await entriesIn(online), await entriesIn(offline)];
    expect(second).toEqual(first);
    await expect(runBackup([newPath(), `--data-dir=${newPath("none")}`])).rejects.toThrow(/there is no store in/);
  });

  test("a restore into a store with objects, or of another vocabulary, is refused", async () => {
    capture();
    const kv = createMemoryKv();
    const about = { vocabulary: "kubernetes", made: "", software: "test" };
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv, about }));
    const used = newPath("data");
    await (await openServerIn(used)).close();
    await expect(runRestore([file, `--data-dir=${used}`])).rejects.toThrow(/holds objects in the vocabulary "orch"/);
    const same = newPath("backup");
    await writeBackupFile(same, backupChunks({ kv, about: { ...about, vocabulary: "orch" } }));
    await expect(runRestore([same, `--data-dir=${used}`])).rejects.toThrow(/has contents already/);
    await expect(runRestore([same])).rejects.toThrow("give one of --data-dir, --kvstore-servers and --store");
  });

  test("a damaged backup leaves nothing behind", async () => {
    capture();
    const kv = await sampleKv();
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv, about: { vocabulary: "orch", made: "", software: "test" } }));
    const bytes = readFileSync(file);
    const target = newPath("restored");
    writeFileSync(file, bytes.subarray(0, -10));
    await expect(runRestore([file, `--data-dir=${target}`])).rejects.toThrow(/is truncated/);
    bytes[bytes.length - 200]! ^= 4;
    writeFileSync(file, bytes);
    await expect(runRestore([file, `--data-dir=${target}`])).rejects.toThrow(/does not fit its checksum/);
    expect(existsSync(target)).toBe(false);
  });

  test("encrypted values are copied as bytes", async () => {
    capture();
    const kv = createMemoryKv();
    const secret = Buffer.concat([Buffer.from("k8s:enc:aescbc:v1:key1:"), Buffer.from([0, 1, 2, 255, 254, 10])]);
    await kv.put("/core/secrets/default/till", secret, 0n);
    const [file, target] = [newPath("backup"), newPath("restored")];
    await writeBackupFile(file, backupChunks({ kv, about: { vocabulary: "orch", made: "", software: "test" } }));
    expect(await checkBackup(file)).toMatchObject({ sound: true, objects: 1, encrypted: 1 });
    await runRestore([file, `--data-dir=${target}`]);
    const restored = await openEmbeddedKv({ folder: join(target, "store") });
    expect(Buffer.from((await restored.get("/core/secrets/default/till"))!.value).equals(secret)).toBe(true);
    await restored.close();
  });

  test("a server does not start with an empty store where a restore did not finish", async () => {
    const dataDir = newPath("data");
    mkdirSync(join(dataDir, "store.filling-0123456789ab"), { recursive: true });
    await expect(createServer({ dataDir })).rejects.toThrow(/a restore into .* did not finish/);
  });
});

describe("GET /backup", () => {
  test("needs a right to that path: reading everything else is not enough", async () => {
    const server = await openServerIn(newPath("data"));
    const jane = server.fetchAs({ name: "jane" });
    expect((await jane("/backup")).status).toBe(403);
    const rules = [
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ];
    const group = "rbac.authorization.orch.io";
    const role = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: "reader" }, rules };
    const post = (path: string, body: object) =>
      server.fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    expect((await post(`/apis/${group}/v1/clusterroles`, role)).status).toBe(201);
    const binding = {
      ...{ apiVersion: `${group}/v1`, kind: "ClusterRoleBinding", metadata: { name: "reader" } },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "reader" },
      subjects: [{ apiGroup: group, kind: "User", name: "jane" }],
    };
    expect((await post(`/apis/${group}/v1/clusterrolebindings`, binding)).status).toBe(201);
    expect((await jane(maps)).status).toBe(200);
    expect((await jane("/backup")).status).toBe(403);
    expect((await server.fetch("/backup", { method: "POST" })).status).toBe(405);
    const answer = await server.fetch("/backup");
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  test("runs one at a time: a second one gets 429", async () => {
    const server = await openServerIn(newPath("data"));
    const big = "x".repeat(500_000);
    const bigObjects = 12; // more than what is sent ahead of a reader
    for (let index = 0; index < bigObjects; index += 1) await write(server, `big-${index}`, big);
    const first = await server.fetch("/backup"); // not read yet, so it waits for its reader
    const second = await server.fetch("/backup");
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ message: "another backup is in progress, please try again later" });
    expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(bigObjects * big.length);
    const third = await server.fetch("/backup");
    expect(third.status).toBe(200);
    await third.body?.cancel();
    await vi.waitFor(
      async () => {
        const fourth = await server.fetch("/backup");
        await fourth.body?.cancel();
        expect(fourth.status).toBe(200); // a client that left does not hold the place
      },
      { timeout: 60_000 },
    );
  });
});
