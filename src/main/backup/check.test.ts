import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeBackupFile } from "../../kv/backup/file.ts";
import { backupChunks } from "../../kv/backup/write.ts";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { runCheck } from "../commands/check.ts";
import { backupFixture, capture, sampleKv } from "./backup.suite.ts";
import { checkBackup, checkFolder, problemsShownMax } from "./check-store.ts";

const { newPath, openServerIn } = backupFixture();

describe("`orch check`", () => {
  const about = { vocabulary: "orch", made: "", software: "test" };
  const checkOf = async (kv: Kv) => {
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv, about }));
    return checkBackup(file);
  };
  const at = "/core/configmaps/default/a";
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default", uid: "u" } };
  test("accepts kinds and versions of every level", async () => {
    const kv = createMemoryKv();
    const stored = {
      "/admissionregistration.orch.io/validatingadmissionpolicies/p": {
        kind: "ValidatingAdmissionPolicy",
        apiVersion: "admissionregistration.orch.io/v1",
        metadata: { name: "p", uid: "u" },
        spec: {},
      },
      "/policy/podsecuritypolicies/q": {
        kind: "PodSecurityPolicy",
        apiVersion: "policy/v1beta1",
        metadata: { name: "q", uid: "u" },
        spec: {},
      },
    };
    for (const [key, value] of Object.entries(stored)) await kv.put(key, Buffer.from(JSON.stringify(value)), 0n);
    expect((await checkOf(kv)).problems).toEqual([]);
  });

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

  test("exits with 0 when valid, 1 when damaged, 2 when nothing could be checked; -o json is for programs", async () => {
    const output = capture();
    const file = newPath("backup");
    await writeBackupFile(file, backupChunks({ kv: await sampleKv(), about }));
    await runCheck([file]);
    expect(process.exitCode).toBe(0);
    expect(output.text()).toBe(`${file}: the backup is intact, 2 entries at revision 2\n`);
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
    expect(output.errors()).toMatch(/cannot be read: there is no such file/);
    const dataDir = newPath("data");
    await openServerIn(dataDir);
    await runCheck([`--data-dir=${dataDir}`]);
    expect(process.exitCode).toBe(2);
    expect(output.errors()).toMatch(/is already open in this process; stop that first/);
  });

  test("a folder of the previous release is valid, and serves its objects", async () => {
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
