import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holderOf, recordRunning, runningServerOf } from "./running-server.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-running-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const serving = { url: "https://127.0.0.1:1", console: "http://127.0.0.1:2/#secret=x" };

test("a folder says which process serves it and where, whatever its store, until the process stops", async () => {
  expect(await runningServerOf(folder)).toBeUndefined();
  const forget = await recordRunning(folder, serving);
  expect(await runningServerOf(folder)).toEqual({ pid: process.pid, ...serving });
  const path = join(folder, "running.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const forgetSecond = await recordRunning(folder, { ...serving, url: "https://127.0.0.1:3" });
  forget();
  expect((await runningServerOf(folder))?.url).toBe("https://127.0.0.1:3");
  forgetSecond();
  expect(await runningServerOf(folder)).toBeUndefined();
});

test("a later process that got the pid of a server is not taken for it", async () => {
  const forget = await recordRunning(folder, serving);
  const path = join(folder, "running.json");
  const mine = JSON.parse(readFileSync(path, "utf8")) as { started: string };
  const [boot, ticks] = mine.started.split("/");
  const other = JSON.stringify({ ...mine, started: `${boot}/${Number(ticks) - 1_000}` });
  writeFileSync(path, other);
  mkdirSync(join(folder, "store"));
  writeFileSync(join(folder, "store/lock"), other);
  expect([await runningServerOf(folder), holderOf(folder)]).toEqual([undefined, undefined]);
  writeFileSync(path, "torn");
  writeFileSync(join(folder, "store/lock"), JSON.stringify(mine));
  expect(await runningServerOf(folder)).toEqual({ pid: process.pid, url: "", console: "" });
  forget();
});
