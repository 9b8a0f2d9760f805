import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { backupName, openLogFile, writeWhole } from "./log-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-audit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the log file", () => {
  const open = (more: Partial<Parameters<typeof openLogFile>[0]> = {}) => {
    const clock = createManualClock(Date.parse("2021-06-01T12:00:00Z"));
    const path = join(folder, "audit.log");
    const options = { path, bytesMax: 20, backupsMax: 0, ageMsMax: 0, compress: false, clock, log: silentLog, ...more };
    return openLogFile(options).then((file) => ({ file, clock, path }));
  };

  test("is rotated when it is full, with the time in its name, readable by its owner only", async () => {
    const { file, path } = await open();
    await file.append("0123456789\n");
    await file.append("abcdefghij\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\n");
    const backup = backupName(path, Date.parse("2021-06-01T12:00:00Z"));
    expect(readFileSync(backup, "utf8")).toBe("0123456789\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const linesIn = (place: string) =>
    readdirSync(place)
      .flatMap((name) => {
        const bytes = readFileSync(join(place, name));
        return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().split("\n");
      })
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { index: number }).index)
      .sort((a, b) => a - b);

  /** In the long form, as many as docs/security-rows.md says. */
  const rotations = process.env["LONG_TESTS"] === undefined ? 1_000 : 10_000;

  test("loses and cuts no line in thousands of rotations under load, also within one millisecond (A14 in docs/security-rows.md)", async () => {
    const place = mkdtempSync(join(memory, "orch-audit-"));
    try {
      const { file, clock } = await open({ path: join(place, "audit.log"), bytesMax: 30 });
      const lines = Array.from(
        { length: rotations + 1 },
        (_, index) => `${JSON.stringify({ index, text: "x".repeat(9) })}\n`,
      );
      let appended: Promise<void>[] = [];
      for (const [index, line] of lines.entries()) {
        appended.push(file.append(line));
        if (index % 7 === 0) clock.advance(1);
        if (index % 500 === 0) appended = [Promise.all(appended).then(() => {})];
      }
      await Promise.all(appended);
      await file.close();
      expect(readdirSync(place).length).toBeGreaterThanOrEqual(rotations);
      expect(linesIn(place)).toEqual(lines.map((_, index) => index));
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  test("loses no line while old files are compressed (A14)", async () => {
    const { file, clock } = await open({ bytesMax: 60, compress: true });
    for (let index = 0; index < 60; index++) {
      clock.advance(1);
      await file.append(`${JSON.stringify({ index, text: "x".repeat(9) })}\n`);
    }
    await file.close();
    expect(linesIn(folder)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(readdirSync(folder).filter((name) => name.endsWith(".gz")).length).toBeGreaterThan(20);
  });

  test("keeps nothing of a line that does not fit on the disk, so that the next one can be read (A14)", async () => {
    const path = join(folder, "audit.log");
    const handle = await openFile(path, "a");
    await writeWhole(handle, Buffer.from("first\n"), 0);
    const full = {
      // The disk takes four bytes and is full.
      async write(data: Uint8Array, at: number) {
        if (at >= 4) throw new Error("ENOSPC");
        return await handle.write(data, at, 4);
      },
      truncate: (bytes: number) => handle.truncate(bytes),
    };
    await expect(writeWhole(full as typeof handle, Buffer.from("second\n"), 6)).rejects.toThrow("ENOSPC");
    await writeWhole(handle, Buffer.from("third\n"), 6);
    await handle.close();
    expect(readFileSync(path, "utf8")).toBe("first\nthird\n");
  });

  test("is written on when it cannot be rotated, and begun again when it was moved away", async () => {
    const { file, path } = await open();
    await file.append("0123456789\n");
    renameSync(path, join(folder, "moved"));
    await file.append("abcdefghij\n");
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\n");
    renameSync(folder, `${folder}-moved`);
    await file.append("klmnopqrst\n"); // the folder that a new file would need does not exist
    renameSync(`${folder}-moved`, folder);
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\nklmnopqrst\n");
    await file.append("uvwxyz\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("uvwxyz\n");
  });

  test("keeps a bounded number of old files, compressed on request", async () => {
    const { file, clock } = await open({ backupsMax: 2, compress: true });
    for (let index = 0; index < 6; index++) {
      await file.append(`line ${index} ${"x".repeat(10)}\n`);
      clock.advance(1_000);
    }
    await file.close();
    const old = readdirSync(folder)
      .filter((name) => name !== "audit.log")
      .sort();
    expect(old).toHaveLength(2);
    expect(old.every((name) => name.endsWith(".log.gz"))).toBe(true);
    expect(gunzipSync(readFileSync(join(folder, old[1]!))).toString()).toContain("line 4");
  });

  test("deletes files beyond the maximum age", async () => {
    const { file, clock, path } = await open({ ageMsMax: 60_000 });
    await file.append("0123456789\n");
    await file.append("0123456789\n");
    clock.advance(120_000);
    await file.append("0123456789\n");
    await file.close();
    expect(existsSync(backupName(path, Date.parse("2021-06-01T12:00:00Z")))).toBe(false);
  });

  test("in a missing folder is refused at once", async () => {
    await expect(open({ path: join(folder, "none/audit.log") })).rejects.toThrow("ENOENT");
  });
});
