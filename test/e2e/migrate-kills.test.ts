/** `orch migrate` that is killed at any moment: nothing of the source is lost, no server starts on the rest, and the next run completes. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KvEntry } from "../../src/kv/contract.ts";
import { fillStore } from "../../src/kv/embedded/fill.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { run } from "./programs.ts";

const program = findEtcd();
const orch = resolve("bin/orch");
const count = 2_000;

describe.skipIf(program === undefined)("a migration that is killed", () => {
  let etcd: TestEtcd;
  let folder = "";
  let data = "";
  beforeAll(async () => {
    etcd = await startTestEtcd(program!);
    folder = await mkdtemp(join(tmpdir(), "orch-migrate-"));
    data = join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    await writeFile(join(data, "folder.json"), '{"vocabulary":"orch"}\n', { mode: 0o600 });
    await fillStore({ folder: join(data, "store"), pages: pages(), revision: BigInt(count) });
  });
  afterAll(async () => {
    await etcd?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (...args: string[]) => run(process.execPath, [orch, ...args], { timeoutMs: 120_000 });
  const servers = () => `--kvstore-servers=${etcd.endpoint}`;

  /** Starts the command and kills it (-9) as soon as `isDue`. */
  async function killed(args: readonly string[], isDue: () => boolean | Promise<boolean>): Promise<void> {
    const child = spawn(process.execPath, [orch, ...args], { stdio: "ignore" });
    const ended = new Promise<NodeJS.Signals | null>((done) => child.once("exit", (_code, signal) => done(signal)));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver && !(await isDue())) await new Promise((wake) => setTimeout(wake, 1));
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
  }

  /** How many keys etcd has. */
  async function keysInEtcd(): Promise<number> {
    const [key, end] = ["/registry/", "/registry0"].map((text) => Buffer.from(text).toString("base64"));
    const body = JSON.stringify({ key, range_end: end, count_only: true });
    const answer = await fetch(`${etcd.endpoint}/v3/kv/range`, { method: "POST", body });
    return Number(((await answer.json()) as { count?: string }).count ?? 0);
  }

  const checkedObjects = async (...where: string[]) => {
    const { code, stdout } = await start("check", ...where, "-o", "json");
    return [code, JSON.parse(stdout).objects];
  };

  test("on its way to etcd", { timeout: 240_000 }, async () => {
    const migrate = ["migrate", "--to=etcd", `--data-dir=${data}`, servers()];
    for (const keys of [1, count / 3, count - 500]) {
      await killed(migrate, async () => (await keysInEtcd()) >= keys);
      expect(await checkedObjects(`--data-dir=${data}`)).toEqual([0, count]);
      const flags = [servers(), "--secure-port=0", "--authorization-mode=RBAC", `--cert-dir=${join(folder, "certs")}`];
      const server = await start("apiserver", ...flags);
      expect([server.code, server.stderr]).toEqual([1, expect.stringContaining("did not finish")]);
    }
    const again = await start(...migrate);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(await checkedObjects(servers())).toEqual([0, count]);
  });

  test("on its way back to a folder", { timeout: 240_000 }, async () => {
    const target = join(folder, "back");
    const migrate = ["migrate", "--to=embedded", `--data-dir=${target}`, servers()];
    const draft = () =>
      existsSync(target) ? readdirSync(target).find((name) => name.startsWith("store.")) : undefined;
    for (let round = 0; round < 2; round++) {
      await killed(migrate, () => draft() !== undefined);
      expect(existsSync(join(target, "store"))).toBe(false);
      expect(await checkedObjects(servers())).toEqual([0, count]);
    }
    const again = await start(...migrate);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(draft()).toBeUndefined();
    expect(await checkedObjects(`--data-dir=${target}`)).toEqual([0, count]);
  });
});

async function* pages(): AsyncGenerator<KvEntry[]> {
  for (let at = 0; at < count; at += 1_000)
    yield Array.from({ length: 1_000 }, (_, index) => {
      const name = `object-${at + index}`;
      const metadata = { name, namespace: "default", uid: name };
      const revision = BigInt(at + index + 1);
      const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { at: name } }));
      return { key: `/core/configmaps/default/${name}`, value, revision, created: revision };
    });
}
