import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KvEntry } from "../../src/kv/contract.ts";
import { fillStore } from "../../src/kv/embedded/fill.ts";
import { run } from "./programs.ts";

const orch = resolve("bin/orch");
/** Together more than the heap that the commands are given below could hold. */
const objects = { count: 6_000, textLength: 6_500 };
let folder = "";
let data = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-backup-"));
  data = await fill();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A data folder with these objects, as a server would leave it. */
async function fill(): Promise<string> {
  const path = join(folder, "data");
  await mkdir(path, { mode: 0o700 });
  await writeFile(join(path, "folder.json"), '{"vocabulary":"orch"}\n', { mode: 0o600 });
  await fillStore({ folder: join(path, "store"), pages: pages(), revision: BigInt(objects.count) });
  return path;
}

async function* pages(): AsyncGenerator<KvEntry[]> {
  for (let at = 0; at < objects.count; at += 1_000) {
    yield Array.from({ length: 1_000 }, (_, index) => {
      const name = `object-${at + index}`;
      const object = {
        ...{ kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default", uid: name } },
        data: { text: "x".repeat(objects.textLength) },
      };
      const revision = BigInt(at + index + 1);
      const value = Buffer.from(JSON.stringify(object));
      return { key: `/core/configmaps/default/${name}`, value, revision, created: revision };
    });
  }
}

/** With a heap in which the objects do not fit. */
const inSmallHeap = (...args: string[]) =>
  run(process.execPath, ["--max-old-space-size=36", orch, ...args], { timeoutMs: 120_000 });

/** Starts the command and kills it (-9) as soon as `isDue`. */
async function killed(args: readonly string[], isDue: () => boolean): Promise<void> {
  const child = spawn(process.execPath, [orch, ...args], { stdio: "ignore" });
  const ended = new Promise<NodeJS.Signals | null>((done) => child.once("exit", (_code, signal) => done(signal)));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && !isDue()) await new Promise((wake) => setTimeout(wake, 1));
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
}

/** When processes are killed, in bytes of what they write. */
const momentsOf = (usual: number, ...others: number[]) =>
  process.env["LONG_TESTS"] === undefined ? [usual] : [usual, ...others];

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const draftOf = (start: string) => readdirSync(folder).find((name) => name.startsWith(start)) ?? "none";

/** At night: it measures, and takes as long as all others together. */
if (process.env["LONG_TESTS"] !== undefined)
  test("a backup, its check and its restore need no more memory than their heap, however many objects there are", async () => {
    const file = join(folder, "cluster.backup");
    const made = await inSmallHeap("backup", file, `--data-dir=${data}`);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toMatch(new RegExp(`: ${objects.count} entries at revision ${objects.count}, `));
    const checked = await inSmallHeap("check", file, "-o", "json");
    expect(JSON.parse(checked.stdout)).toMatchObject({ sound: true, objects: objects.count });
    const target = join(folder, "restored");
    const restored = await inSmallHeap("restore", file, `--data-dir=${target}`);
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    const inspected = await inSmallHeap("check", `--data-dir=${target}`);
    expect([inspected.code, inspected.stdout]).toEqual([0, expect.stringContaining("the folder is intact")]);
  }, 240_000);

describe("with a process that is killed", () => {
  test("a backup that is killed at any moment leaves no file with its final name", async () => {
    const file = join(folder, "killed.backup");
    for (const bytes of momentsOf(10_000_000, 0, 30_000_000)) {
      await killed(["backup", file, `--data-dir=${data}`], () => {
        const draft = draftOf("killed.backup.");
        return draft !== "none" && sizeOf(join(folder, draft)) >= bytes;
      });
      expect(existsSync(file)).toBe(false);
      await rm(join(folder, draftOf("killed.backup.")), { force: true });
    }
    // The lock of the killed process does not block the next one.
    expect((await run(process.execPath, [orch, "backup", file, `--data-dir=${data}`])).code).toBe(0);
  }, 240_000);

  test("a restore that is killed leaves no store, no server starts on its remains, and the next restore succeeds", async () => {
    const file = join(folder, "killed.backup"); // which the test before has made
    const target = join(folder, "half");
    const draft = () =>
      existsSync(target) ? readdirSync(target).find((name) => name.startsWith("store.")) : undefined;
    for (const bytes of momentsOf(20_000_000, 0)) {
      await killed(["restore", file, `--data-dir=${target}`], () => {
        const name = draft();
        return name !== undefined && sizeOf(join(target, name, "data.mdb")) >= bytes;
      });
      expect(existsSync(join(target, "store"))).toBe(false);
      expect(draft()).toBeDefined();
      const start = await run(process.execPath, [orch, "up", `--data-dir=${target}`, "--secure-port=0"]);
      expect([start.code, start.stderr]).toEqual([1, expect.stringContaining("did not finish: run it again")]);
    }
    expect((await run(process.execPath, [orch, "restore", file, `--data-dir=${target}`])).code).toBe(0);
    expect(draft()).toBeUndefined();
    expect((await run(process.execPath, [orch, "check", `--data-dir=${target}`])).code).toBe(0);
  }, 240_000);
});

test("an etcd that cannot be reached is an error of every command, not a silent end", async () => {
  const nowhere = "--kvstore-servers=http://127.0.0.1:1";
  const commands = [
    ["backup", join(folder, "none"), nowhere],
    ["check", nowhere],
    ["doctor", nowhere, `--data-dir=${join(folder, "empty")}`],
  ];
  const outcomes = await Promise.all(commands.map((args) => run(process.execPath, [orch, ...args])));
  for (const { code, stdout, stderr } of outcomes) {
    expect([code > 0, stdout + stderr]).toEqual([true, expect.stringMatching(/etcd cannot be reached|cannot be used/)]);
  }
});
