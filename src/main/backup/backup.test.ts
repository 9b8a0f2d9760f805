import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { readBackupFile, writeBackupFile } from "../../kv/backup/file.ts";
import { backupChunks } from "../../kv/backup/write.ts";
import type { Kv, KvEntry } from "../../kv/contract.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { runBackup } from "../commands/backup.ts";
import { checkBackup, checkFolder, problemsShownMax, runCheck } from "../commands/check.ts";
import { runRestore } from "../commands/restore.ts";
import { createServer, type OrchServer } from "../library.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-backup-"));
let counter = 0;
const newPath = (name = "path") => join(folder, `${name}${++counter}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const opened: OrchServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** What a command prints. */
function capture(): { text(): string; errors(): string } {
  const out: string[] = [];
  const errors: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
  return { text: () => out.join(""), errors: () => errors.join("") };
}

async function openServerIn(dataDir: string): Promise<OrchServer> {
  const server = await createServer({ dataDir, controllers: false, authorization: "RBAC" });
  opened.push(server);
  return server;
}

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
  test("a backup of a server that is being written to is the state of its revision, and becomes a server again", async () => {
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

  test("a restored server never uses a revision again that clients have seen", async () => {
    const output = capture();
    const server = await openServerIn(newPath("data"));
    const config = await configurationOf(server);
    const kept = await write(server, "kept", "1");
    const file = newPath("backup");
    await runBackup([file, `--config=${config}`]);
    const seen = await write(server, "seen", "after the backup");
    const target = newPath("restored");
    await runRestore([file, `--data-dir=${target}`]);
    expect(output.text()).toMatch(/entries of revision \d+; revisions go on behind 1\d{9}\n$/);

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

  test("a restore is never mixed with what is there, and another vocabulary is refused", async () => {
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
    await expect(runRestore([same])).rejects.toThrow("give either --data-dir or --kvstore-servers");
  });

  test("a damaged backup leaves nothing behind", async () => {
    capture();
    const kv = await sampleKv();
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv, about: { vocabulary: "orch", made: "", software: "test" } }));
    const bytes = readFileSync(file);
    const target = newPath("restored");
    writeFileSync(file, bytes.subarray(0, -10));
    await expect(runRestore([file, `--data-dir=${target}`])).rejects.toThrow(/is cut off/);
    bytes[bytes.length - 200]! ^= 4;
    writeFileSync(file, bytes);
    await expect(runRestore([file, `--data-dir=${target}`])).rejects.toThrow(/does not fit its checksum/);
    expect(existsSync(target)).toBe(false);
  });

  test("encrypted values pass through as bytes", async () => {
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

  test("a server does not begin with nothing where a restore did not finish", async () => {
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

  test("one at a time: a second one is asked to come back later", async () => {
    const server = await openServerIn(newPath("data"));
    const big = "x".repeat(500_000);
    for (let index = 0; index < 40; index += 1) await write(server, `big-${index}`, big);
    const first = await server.fetch("/backup"); // not read yet, so it waits for its reader
    const second = await server.fetch("/backup");
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ message: "another backup is under way, please try again later" });
    expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(40 * big.length);
    const third = await server.fetch("/backup");
    expect(third.status).toBe(200);
    await third.body?.cancel();
    await vi.waitFor(async () => {
      const fourth = await server.fetch("/backup");
      await fourth.body?.cancel();
      expect(fourth.status).toBe(200); // a client that left does not hold the place
    });
  });
});

async function sampleKv(): Promise<Kv> {
  const kv = createMemoryKv();
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default", uid: "u" } };
  await kv.put("/core/configmaps/default/a", Buffer.from(JSON.stringify(object)), 0n);
  await kv.put("registry/continue-key", Buffer.alloc(32), 0n);
  return kv;
}

describe("`orch check`", () => {
  const about = { vocabulary: "orch", made: "", software: "test" };
  const checkOf = async (kv: Kv) => {
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv, about }));
    return checkBackup(file);
  };
  const at = "/core/configmaps/default/a";
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default", uid: "u" } };
  const cases = [
    {
      why: "another name",
      key: at,
      value: { ...object, metadata: { ...object.metadata, name: "b" } },
      says: /its metadata names \{"namespace":"default","name":"b"\}/,
    },
    {
      why: "another namespace",
      key: at,
      value: { ...object, metadata: { ...object.metadata, namespace: "x" } },
      says: /its metadata names/,
    },
    {
      why: "another kind",
      key: at,
      value: { ...object, kind: "Secret" },
      says: /"v1" Secret is not a version of core\/configmaps/,
    },
    {
      why: "no uid",
      key: at,
      value: { ...object, metadata: { name: "a", namespace: "default" } },
      says: /it has no uid/,
    },
    {
      why: "a field of the wrong type",
      key: at,
      value: { ...object, data: { a: 1 } },
      says: /does not decode as ConfigMap/,
    },
    { why: "no object", key: at, value: [1], says: /are not an object with metadata/ },
    {
      why: "an unknown kind",
      key: "/core/gadgets/a",
      value: object,
      says: /this program knows no kind "core\/gadgets"/,
    },
    { why: "an unknown key", key: "other", value: object, says: /is not the key of an object/ },
    {
      why: "custom objects without their definition",
      key: "/custom:shop.io/carts/default/a",
      value: { ...object, kind: "Cart" },
      says: /objects of "carts.shop.io", but no such CustomResourceDefinition/,
    },
  ];
  for (const { why, key, value, says } of cases) {
    test(`finds ${why}`, async () => {
      const kv = createMemoryKv();
      await kv.put(key, Buffer.from(JSON.stringify(value)), 0n);
      const report = await checkOf(kv);
      expect(report.sound).toBe(false);
      expect(report.problems).toHaveLength(1);
      expect(report.problems[0]).toMatch(says);
    });
  }

  test("finds bytes that are not JSON, and prints a bounded number of problems", async () => {
    const kv = createMemoryKv();
    for (let index = 0; index < problemsShownMax + 5; index += 1) {
      await kv.put(`/core/configmaps/default/a${index}`, Buffer.from("{"), 0n);
    }
    const report = await checkOf(kv);
    expect(report).toMatchObject({ sound: false, problemsTotal: problemsShownMax + 5, entries: problemsShownMax + 5 });
    expect(report.problems).toHaveLength(problemsShownMax);
    expect(report.problems[0]).toMatch(/its bytes are not JSON/);
  });

  test("exits with 0 when sound, 1 when damaged, 2 when nothing could be checked; -o json is for programs", async () => {
    const output = capture();
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv: await sampleKv(), about }));
    await runCheck([file]);
    expect(process.exitCode).toBe(0);
    expect(output.text()).toBe(`${file}: the backup is sound, 2 entries at revision 2\n`);
    const bytes = readFileSync(file);
    bytes[bytes.length - 150]! ^= 1;
    writeFileSync(file, bytes);
    await runCheck([file, "-o", "json"]);
    expect(process.exitCode).toBe(1);
    const report = JSON.parse(output.text().slice(output.text().indexOf("{")));
    expect(report).toMatchObject({ checked: file, what: "backup", sound: false, problemsTotal: 1 });
    expect(report.problems[0]).toMatch(/^the backup is damaged: record \d at byte \d+ .* does not fit its checksum$/);
    await runCheck([newPath("missing")]);
    expect(process.exitCode).toBe(2);
    expect(output.errors()).toMatch(/cannot be read: ENOENT/);
    const dataDir = newPath("data");
    await openServerIn(dataDir);
    await runCheck([`--data-dir=${dataDir}`]);
    expect(process.exitCode).toBe(2);
    expect(output.errors()).toMatch(/is already open in this process; stop that first/);
  });

  test("a folder of the previous release is sound, and serves its objects", async () => {
    const dataDir = newPath("data");
    mkdirSync(join(dataDir, "store"), { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, "folder.json"), '{"vocabulary":"orch"}\n', { mode: 0o600 });
    const fixture = join(import.meta.dirname, "../../../test/fixtures/store-format-1/data.mdb.gz");
    writeFileSync(join(dataDir, "store", "data.mdb"), gunzipSync(readFileSync(fixture)), { mode: 0o600 });
    expect(await checkFolder(dataDir)).toMatchObject({ sound: true, problems: [], revision: "210", encrypted: 0 });
    const server = await openServerIn(dataDir);
    const read = async (path: string) => (await server.fetch(path)).json() as Promise<Record<string, unknown>>;
    expect(await read("/api/v1/namespaces/shop/configmaps/prices-0")).toMatchObject({ data: { apple: "7" } });
    expect(await read("/api/v1/namespaces/shop/secrets/till")).toMatchObject({ data: { pin: "MTIzNA==" } });
    expect(await read("/apis/apps/v1/namespaces/shop/deployments/web")).toMatchObject({ spec: { replicas: 2 } });
    expect(await read("/apis/shop.example.com/v1/namespaces/shop/carts/first")).toMatchObject({ spec: { items: 3 } });
  });

  test("a check leaves no file behind", async () => {
    const dataDir = newPath("data");
    await (await openServerIn(dataDir)).close();
    const before = readdirSync(join(dataDir, "store")).sort();
    await checkFolder(dataDir);
    expect(readdirSync(join(dataDir, "store")).sort()).toEqual(before);
  });
});
