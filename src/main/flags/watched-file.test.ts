import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { configBytesMax, configPollMs, configSettleMs, openWatchedFile } from "./watched-file.ts";

test("a changed file takes effect, and a broken one leaves the last valid one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "watched-"));
  const path = join(folder, "a");
  await writeFile(path, "1");
  const clock = createManualClock(0);
  const parse = ({ text }: { text: string }) => {
    if (text === "broken") throw new Error("it is broken");
    return text;
  };
  const reloads: string[] = [];
  const onReload = (status: string) => void reloads.push(status);
  const file = await openWatchedFile({ flag: "a", path, parse, clock, log: silentLog, onReload });
  let changes = 0;
  file.onChange(() => changes++);
  const change = async (text: string, seen: string, count: number) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    await expect
      .poll(() => {
        clock.advance(configPollMs);
        return [file.current(), changes];
      })
      .toEqual([seen, count]);
  };
  try {
    await change("2", "2", 1);
    await change("broken", "2", 1);
    await expect
      .poll(() => {
        clock.advance(configPollMs);
        return reloads;
      })
      .toEqual(["success", "failure"]);
    await change("3", "3", 2);
  } finally {
    file.close();
    await rm(folder, { recursive: true });
  }
  await expect(openWatchedFile({ flag: "a", path, parse, clock, log: silentLog })).rejects.toThrow("--a: cannot read");
});

/** A file that is looked at when its test says so, and what was reported about it. */
async function watch(text: string) {
  const folder = await mkdtemp(join(tmpdir(), "watched-"));
  const path = join(folder, "a");
  await writeFile(path, text);
  const clock = createManualClock(0);
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_, fields) => void errors.push(String(fields?.["cause"])) };
  const reloads: string[] = [];
  const parse = async ({ text: given }: { text: string }) => {
    if (given === "") throw new Error("it is empty");
    return given;
  };
  const onReload = (status: string) => void reloads.push(status);
  const file = await openWatchedFile({ flag: "a", path, parse, clock, log, onReload });
  /** Time passes until the outcome is the wanted one. */
  const until = async (wanted: () => unknown, value: unknown) =>
    await expect
      .poll(() => {
        clock.advance(configPollMs);
        return wanted();
      })
      .toEqual(value);
  const close = async () => {
    file.close();
    await rm(folder, { recursive: true });
  };
  return { folder, path, clock, file, errors, reloads, until, close };
}

test("a file that is still being written is not used until it stays the same", async () => {
  const { path, clock, file, reloads, until, close } = await watch("one");
  await writeFile(path, "tw");
  // The change is noticed, and the file grows before it is read again.
  clock.advance(configPollMs);
  await expect
    .poll(async () => {
      await writeFile(path, "two");
      clock.advance(configSettleMs);
      return file.current();
    })
    .not.toBe("tw");
  await until(() => file.current(), "two");
  expect(reloads).toEqual(["success"]);
  await close();
});

test("a file that is removed, a folder, or too large leaves the last one, is reported once, and is used when it is back", async () => {
  const { path, file, errors, reloads, until, close } = await watch("one");
  await rm(path);
  await until(() => reloads, ["failure"]);
  for (let at = 0; at < 3; at++) await until(() => file.current(), "one");
  expect([errors.length, errors[0]]).toEqual([1, expect.stringContaining("there is no such file")]);
  await mkdir(path);
  await until(() => errors.length, 2);
  expect(errors[1]).toContain("it is a folder");
  await rm(path, { recursive: true });
  await writeFile(path, "x".repeat(configBytesMax + 1));
  await until(() => errors.length, 3);
  expect(errors[2]).toContain(`at most ${configBytesMax} bytes`);
  // Nobody writes into the pipe: reading it would wait for ever.
  await rm(path);
  execFileSync("mkfifo", [path]);
  await until(() => errors.length, 4);
  expect(errors[3]).toContain("it is not a file");
  await rm(path);
  await writeFile(path, "two");
  await until(() => file.current(), "two");
  await close();
});

test("a link that is swapped, as mounted secrets do, takes effect", async () => {
  const { folder, path, file, reloads, until, close } = await watch("one");
  const swap = async (name: string, text: string) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "a"), text);
    await symlink(name, join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  await swap("..1", "two");
  await rm(path);
  await symlink(join("..data", "a"), path);
  await until(() => file.current(), "two");
  await swap("..2", "three");
  await rm(join(folder, "..1"), { recursive: true });
  await until(() => file.current(), "three");
  expect(reloads).toEqual(["success", "success"]);
  await close();
});
