import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle.ts";
import type { WriterOrders } from "../../../test/crash/journal.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { takeLock } from "./lock.ts";

const folders: string[] = [];
const children: ChildProcess[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-lock-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Starts a shell whose background child holds the folder; the shell then becomes a program that never reaps it. */
async function holdFolder(folder: string, wrapper: readonly string[] = []): Promise<number> {
  const program = await bundleChild("test/crash/writer.ts");
  const orders: WriterOrders = { folder, seed: 1, writers: 1, crashAfter: 1_000_000 };
  const script = `"$0" "$@" & echo "pid $!"; exec sleep 120`;
  const [command, ...args] = [...wrapper, "sh", "-c", script, process.execPath, program, JSON.stringify(orders)];
  const shell = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(shell);
  let text = "";
  await new Promise<void>((resolve) => {
    shell.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (/pid \d+\n/.test(text) && existsSync(join(folder, "data.mdb"))) resolve();
    });
  });
  return Number(/pid (\d+)/.exec(text)![1]);
}

describe("the lock of a folder", () => {
  test("is released by a process that has ended, even while its parent has not reaped it", async () => {
    const folder = newFolder();
    const pid = await holdFolder(folder);
    await expect(openEmbeddedKv({ folder })).rejects.toThrow(`already open in process ${pid}`);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    // Its other threads, which hold its sockets, may end a moment after the first one.
    const open = () => openEmbeddedKv({ folder }).then((kv) => kv.close());
    await expect.poll(() => open().then(() => "opened", String)).toBe("opened");
  });

  const canUnshare = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
  test.skipIf(!canUnshare)("is respected by processes of another PID namespace", async () => {
    const folder = newFolder();
    await holdFolder(folder, ["unshare", "--pid", "--fork", "--kill-child"]);
    await expect(openEmbeddedKv({ folder })).rejects.toThrow("is already open");
  });

  test("leaves nothing behind, and removes the files of a killed process", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "lock.1.abc.sock"), "");
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid: 1, started: "", socket: "lock.1.abc.sock" }));
    const unlock = await takeLock(folder);
    expect(readdirSync(folder).sort()).toEqual(["lock", expect.stringMatching(/^lock\..*\.sock$/)]);
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("works in folders whose path is longer than a socket's may be", async () => {
    const folder = join(newFolder(), "x".repeat(120), "y".repeat(120));
    const kv = await openEmbeddedKv({ folder });
    await expect(openEmbeddedKv({ folder })).rejects.toThrow("is already open in this process");
    await kv.close();
  });
});
