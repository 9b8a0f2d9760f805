import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle.ts";
import type { FullDiskLine } from "../../../test/crash/full-disk.ts";
import type { WriterOrders } from "../../../test/crash/journal.ts";
import type { ProbeOrders, ProbeReport } from "../../../test/crash/probe.ts";
import { createManualClock } from "../../base/clock.ts";
import { describeKv } from "../contract.suite.ts";
import { RevisionCompacted, valueBytesMax } from "../contract.ts";
import { bytes, collect, follow } from "../follow.suite.ts";
import { Disk } from "./disk.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { formatVersion } from "./migrations.ts";
import { encodeFormat } from "./records.ts";

/** Where the first page has the size of the map. */
const mapSizeAt = 40;

const parent = mkdtempSync(join(tmpdir(), "kv-"));
let counter = 0;
const newFolder = (): string => join(parent, `data${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describeKv("embedded", async () => {
  const folder = newFolder();
  return {
    open: () => openEmbeddedKv({ folder }),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

describe("the embedded store", () => {
  const arrays = [
    { what: "the same array", value: bytes("mine") },
    { what: "an array larger than what stays in memory", value: new Uint8Array(valueBytesMax) },
  ];
  for (const { what, value } of arrays)
    test(`passes watchers ${what} that was passed to put, before put resolves`, async () => {
      const kv = await openEmbeddedKv({ folder: newFolder() });
      const order: string[] = [];
      const next = kv.watch("", 0n, new AbortController().signal)[Symbol.asyncIterator]().next();
      const seen = next.then((result) => {
        order.push("watch");
        expect(result.value.changes[0].value).toBe(value);
      });
      await kv.put("key", value, 0n).then(() => order.push("put"));
      await seen;
      expect(order).toEqual(["watch", "put"]);
      await kv.close();
    });

  test("serves a watcher far behind from disk, in chunks", async () => {
    const kv = await openEmbeddedKv({ folder: newFolder(), syncMode: "none" });
    let revision = 0n;
    for (let index = 0; index < 3; index += 1) revision = await kv.put("key", bytes(`${index}`), revision);
    const first = revision;
    await Promise.all(Array.from({ length: 6_000 }, (_, index) => kv.put(`k${index}`, bytes("x"), 0n)));
    const abort = new AbortController();
    const watcher = follow(kv, "", 0n, abort.signal);
    await watcher.until(await kv.revision());
    abort.abort();
    expect(watcher.changes).toHaveLength(6_003);
    expect(watcher.changes[2]).toMatchObject({ key: "key", revision: first, value: bytes("2") });
    await kv.close();
  });

  test("removes history after its time, in steps, and keeps the state", async () => {
    const clock = createManualClock(1_000_000);
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder, clock, historyMs: 60_000, syncMode: "none" });
    let revision = 0n;
    for (let index = 0; index < 700; index += 1) revision = await kv.put("key", bytes(`${index}`), revision);
    const kept = await kv.put("kept", bytes("kept"), 0n);
    clock.advance(30_000);
    const late = await kv.put("key", bytes("late"), revision);
    expect(await collect(kv, "", 0n, 700)).toHaveLength(702);
    clock.advance(45_000);
    await expect(collect(kv, "", 0n, 1)).rejects.toBeInstanceOf(RevisionCompacted);
    expect(await collect(kv, "", kept, 1)).toMatchObject([{ revision: late, value: bytes("late") }]);
    clock.advance(120_000);
    await expect(collect(kv, "", kept, 1)).rejects.toBeInstanceOf(RevisionCompacted);
    await swept();
    await kv.close();
    expect(await countRecords(folder)).toBe(2);
    const again = await openEmbeddedKv({ folder });
    expect((await again.range("")).entries.map((entry) => entry.revision)).toEqual([kept, late]);
    await again.close();
  });

  test("bounds history in number and in bytes, whatever its age", async () => {
    for (const bound of [{ historyChangesMax: 100 }, { historyBytesMax: 100_000 }]) {
      const clock = createManualClock(0);
      const kv = await openEmbeddedKv({ folder: newFolder(), clock, syncMode: "none", ...bound });
      let revision = 0n;
      for (let index = 0; index < 400; index += 1) revision = await kv.put("key", new Uint8Array(1_000), revision);
      clock.advance(16_000);
      await expect(collect(kv, "", revision - 150n, 1)).rejects.toBeInstanceOf(RevisionCompacted);
      expect(await collect(kv, "", revision - 50n, 50)).toHaveLength(50);
      await kv.close();
    }
  });

  test("shows one revision in a long range although history is compacted meanwhile", async () => {
    const kv = await openEmbeddedKv({ folder: newFolder(), syncMode: "none" });
    await Promise.all(Array.from({ length: 3_500 }, (_, index) => kv.put(`k${index}`, bytes("old"), 0n)));
    const moment = await kv.revision();
    const reading = kv.range("");
    const old = (await kv.range("", { limit: 3_400 })).entries;
    await Promise.all(old.map((entry) => kv.put(entry.key, bytes("new"), entry.revision)));
    await kv.compact(await kv.revision());
    const { entries, revision } = await reading;
    expect(revision).toBe(moment);
    expect(entries).toHaveLength(3_500);
    expect(entries.every((entry) => Buffer.from(entry.value).toString() === "old")).toBe(true);
    await kv.close();
  });

  test("creates folder and files for its owner only, whatever the umask", async () => {
    const program = await bundleChild("test/crash/writer.ts");
    for (const umask of ["000", "777"]) {
      const folder = newFolder();
      const orders: WriterOrders = { folder, seed: 1, writers: 2, crashAfter: 1 };
      const script = `umask ${umask} && exec "$0" "$1" "$2"`;
      const child = spawn("sh", ["-c", script, process.execPath, program, JSON.stringify(orders)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await new Promise((resolve) => child.stdout.once("data", resolve));
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      const files = readdirSync(folder);
      expect(files.sort()).toEqual(["data.mdb", "data.mdb-lock", "lock", expect.stringMatching(/^lock\..*\.sock$/)]);
      for (const file of files) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    }
    rmSync(program);
  });

  test("refuses a folder that others can access or that belongs to another user, and names it", async () => {
    for (const mode of [0o777, 0o750, 0o701]) {
      const folder = newFolder();
      mkdirSync(folder);
      chmodSync(folder, mode);
      await expect(openEmbeddedKv({ folder })).rejects.toThrow(folder);
      await expect(openEmbeddedKv({ folder })).rejects.toMatchObject({ code: "unavailable" });
      expect(readdirSync(folder)).toEqual([]);
    }
    const file = newFolder();
    writeFileSync(file, "");
    await expect(openEmbeddedKv({ folder: file })).rejects.toThrow(file);
    if (process.getuid?.() !== 0) return; // only root can give a folder away
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    await expect(openEmbeddedKv({ folder })).rejects.toThrow(/belongs to user 12345/);
  });

  test("refuses a folder that is open already, and names the process", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder });
    await expect(openEmbeddedKv({ folder })).rejects.toThrow(`${folder} is already open in this process`);
    await kv.close();
    const program = await bundleChild("test/crash/writer.ts");
    const orders: WriterOrders = { folder, seed: 1, writers: 1, crashAfter: 1 };
    const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout!.once("data", resolve));
    child.stdout!.resume();
    await expect(openEmbeddedKv({ folder })).rejects.toThrow(`${folder} is already open in process ${child.pid}`);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    const after = await openEmbeddedKv({ folder }); // the lock of a dead process does not count
    await after.close();
    writeFileSync(join(folder, "lock"), "torn by a power loss");
    await (await openEmbeddedKv({ folder })).close();
    // This is the same pid, but a process that began at another time; under emulation its own clock is a little off.
    const own = await openEmbeddedKv({ folder });
    const { pid, started } = JSON.parse(readFileSync(join(folder, "lock"), "utf8")) as { pid: number; started: string };
    await own.close();
    const [boot, ticks] = started.split("/");
    const heldSince = (start: string) => writeFileSync(join(folder, "lock"), JSON.stringify({ pid, started: start }));
    heldSince(`${boot}/${Number(ticks) + 2}`);
    await expect(openEmbeddedKv({ folder })).rejects.toThrow("is already open in this process");
    for (const other of ["another boot/1", `another boot/${ticks}`, `${boot}/${Number(ticks) + 1_000}`, `${boot}/x`]) {
      heldSince(other);
      await (await openEmbeddedKv({ folder })).close();
    }
    rmSync(program);
  });

  test("stops writing when another process has taken over the files", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder });
    const revision = await kv.put("key", bytes("1"), 0n);
    const intruder = await Disk.open(join(folder, "data.mdb"), { sync: true });
    const error = await kv.put("key", bytes("2"), revision).catch((failure: unknown) => failure);
    expect((error as Error).cause).toMatchObject({ message: expect.stringContaining(folder) });
    await expect(kv.put("other", bytes("3"), 0n)).rejects.toMatchObject({ code: "unavailable" });
    await expect(kv.compact(revision)).rejects.toMatchObject({ code: "unavailable" });
    expect(kv.condition?.()).toBe("failed");
    expect((await kv.get("key"))?.value).toEqual(bytes("1"));
    await intruder.close();
    await kv.close();
  });

  test("refuses writes without disk space, serves reads, and keeps acknowledged writes", async () => {
    const program = await bundleChild("test/crash/full-disk.ts");
    const folder = newFolder();
    const script = 'ulimit -f 2000 && exec "$0" "$1" "$2"'; // blocks of 512 bytes
    const done = spawnSync("sh", ["-c", script, process.execPath, program, folder], { timeout: 100_000 });
    expect([done.status, done.signal], String(done.stderr)).toEqual([0, null]);
    const lines = String(done.stdout).trim().split("\n");
    const said = lines.map((line) => JSON.parse(line) as FullDiskLine);
    const acknowledged = said.flatMap((line) => ("done" in line ? [line.done] : []));
    expect(acknowledged.length).toBeGreaterThan(50);
    // Nothing was tried that could have failed half-way.
    expect(said.flatMap((line) => ("error" in line ? [line.error] : []))).toContain("unavailable");
    expect(said.flatMap((line) => ("error" in line ? [line.error] : []))).not.toContain("outcome-unknown");
    expect(said.at(-1)).toEqual({ readable: acknowledged.length });
    const kv = await openEmbeddedKv({ folder });
    const found = (await kv.range("")).entries.map((entry) => entry.key);
    expect(found.sort()).toEqual(acknowledged.sort());
    await kv.close();
    rmSync(program);
  });

  test("maps its file once, and step by step where the address space is limited", async () => {
    const program = await bundleChild("test/crash/full-disk.ts");
    const sizes = ["unlimited", "6000000"].map((kilobytes) => {
      const folder = newFolder();
      const script = `ulimit -v ${kilobytes} && exec "$0" "$1" "$2"`;
      const done = spawnSync("sh", ["-c", script, process.execPath, program, folder], { timeout: 100_000 });
      expect([done.status, done.signal], String(done.stderr)).toEqual([0, null]);
      expect(String(done.stdout).trim().split("\n").at(-1)).toBe('{"readable":2000}');
      return Number(readFileSync(join(folder, "data.mdb")).readBigUInt64LE(mapSizeAt));
    });
    expect(sizes[0]).toBeGreaterThan(2 ** 30);
    expect(sizes[1]).toBeLessThan(2 ** 25);
    rmSync(program);
  }, 240_000);

  test("refuses writes while the disk is full, serves reads, and accepts writes when there is space again", async () => {
    let free = Number.POSITIVE_INFINITY;
    const kv = await openEmbeddedKv({ folder: newFolder(), freeBytes: () => free });
    const first = await kv.put("key", bytes("1"), 0n);
    const second = await kv.put("key", bytes("2"), first);
    free = 1_000_000;
    await expect(kv.put("key", bytes("3"), second)).rejects.toMatchObject({ code: "unavailable", message: /is full/ });
    await expect(kv.compact(second)).rejects.toMatchObject({ code: "unavailable" });
    expect((await kv.get("key"))?.revision).toBe(second);
    expect(kv.condition?.()).toBe("full");
    free = Number.POSITIVE_INFINITY;
    await expect.poll(() => kv.condition?.()).toBe("ok"); // found out without a write
    const third = await kv.put("key", bytes("3"), second);
    expect(third).toBe(second + 1n);
    await kv.close();
  });

  test("refuses a newer format, and names the formats it knows", async () => {
    const folder = newFolder();
    await (await openEmbeddedKv({ folder })).close();
    const data = readFileSync(join(folder, "data.mdb"));
    const mine = encodeFormat(formatVersion);
    const newer = encodeFormat(formatVersion + 1);
    for (let at = data.indexOf(mine); at >= 0; at = data.indexOf(mine, at + 1)) newer.copy(data, at);
    writeFileSync(join(folder, "data.mdb"), data);
    await expect(openEmbeddedKv({ folder })).rejects.toThrow(/has format 2, and this program supports formats up to 1/);
  });

  test("never serves a damaged value: it names the key, and the other keys are served", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder });
    const revision = await kv.put("bad", bytes("find me on disk"), 0n);
    await kv.put("good", bytes("fine"), 0n);
    await kv.close();
    const data = readFileSync(join(folder, "data.mdb"));
    for (let at = data.indexOf("find me"); at >= 0; at = data.indexOf("find me", at + 1)) data[at]! ^= 1;
    writeFileSync(join(folder, "data.mdb"), data);
    const again = await openEmbeddedKv({ folder });
    const damaged = { code: "damaged", message: expect.stringContaining('"bad"') };
    await expect(again.get("bad")).rejects.toMatchObject(damaged);
    await expect(again.range("")).rejects.toMatchObject(damaged);
    await expect(again.put("bad", bytes("new"), revision)).rejects.toMatchObject(damaged);
    await expect(collect(again, "", 0n, 1)).rejects.toMatchObject({ code: "compacted", oldest: revision });
    expect((await again.get("good"))?.value).toEqual(bytes("fine"));
    await again.put("another", bytes("fine"), 0n);
    await again.close();
  });

  test("refuses a data file that has become empty, and reports that its contents are lost", async () => {
    const folder = newFolder();
    await (await openEmbeddedKv({ folder })).close();
    writeFileSync(join(folder, "data.mdb"), "");
    await expect(openEmbeddedKv({ folder })).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining("data.mdb is empty"),
    });
    expect(statSync(join(folder, "data.mdb")).size).toBe(0);
  });

  test("refuses a file whose newest meta page points far behind its end, and leaves its size as it is", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder });
    await kv.put("key", bytes("1"), 0n);
    await kv.close();
    const path = join(folder, "data.mdb");
    const file = readFileSync(path);
    const pageBytes = file.readUInt32LE(48);
    const [first, second] = [file.readBigUInt64LE(152), file.readBigUInt64LE(pageBytes + 152)];
    const meta = first > second ? 0 : pageBytes;
    // The bit for 2^20 pages: four gigabytes that would be filled with zeroes.
    file[meta + 146] = file[meta + 146]! ^ 0x10;
    writeFileSync(path, file);
    await expect(openEmbeddedKv({ folder })).rejects.toMatchObject({ code: "damaged" });
    expect(statSync(path).size).toBe(file.length);
  });

  test("opens no damaged file that would crash it: it refuses the file or reports the damage, unless only unused bytes are damaged", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => kv.put(`key${index}`, new Uint8Array(index * 20).fill(index), 0n)),
    );
    for (const entry of (await kv.range("key1")).entries) await kv.put(entry.key, bytes("again"), entry.revision);
    await kv.compact(await kv.revision());
    await swept();
    await kv.close();
    const program = await bundleChild("test/crash/probe.ts");
    const work = join(parent, "probe");
    mkdirSync(work);
    // F6 in docs/security-rows.md.
    const count = process.env["LONG_TESTS"] === undefined ? 150 : 1_000;
    const orders: ProbeOrders = { pristine: join(folder, "data.mdb"), folder: work, seed: Date.now(), count };
    const last = openSync(join(parent, "probe.log"), "w");
    const done = spawnSync(process.execPath, [program, JSON.stringify(orders)], {
      stdio: ["ignore", "pipe", last],
      timeout: 50_000 + 300 * count,
    });
    expect([done.status, done.signal], readFileSync(join(parent, "probe.log"), "utf8").slice(-2_000)).toEqual([
      0,
      null,
    ]);
    const report = JSON.parse(String(done.stdout)) as ProbeReport;
    expect(report.wrong).toEqual([]);
    expect(report.refused).toBeGreaterThan(20);
    expect(report.slowestMs).toBeLessThan(5_000);
    rmSync(program);
  }, 400_000);
});

/** Sweeping continues after the answers: let it run. */
async function swept(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 150));
}

async function countRecords(folder: string): Promise<number> {
  const disk = await Disk.open(join(folder, "data.mdb"), { sync: false });
  try {
    return disk.countRecords();
  } finally {
    await disk.close();
  }
}
