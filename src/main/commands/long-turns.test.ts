import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openThreadTime } from "../../base/turn-watch/thread-time.ts";
import { longTurnsVariable, reportLongTurns } from "./long-turns.ts";

const warnings: string[] = [];
const log = { verbosity: 0, debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) };

function workFor(ms: number): void {
  const time = openThreadTime();
  for (const end = time.ms() + ms; time.ms() < end; );
  time.close();
}

test("nothing is measured unless the environment asks for it", () => {
  expect(reportLongTurns({}, log)).toBeUndefined();
});

test("a value that is not a number of milliseconds is refused", () => {
  expect(() => reportLongTurns({ [longTurnsVariable]: "yes" }, log)).toThrow(
    "ORCH_LONG_TURNS: must be a number of milliseconds",
  );
});

test("a long turn is a line of the file with the calls that took the time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-long-turns-"));
  const file = join(folder, "turns.jsonl");
  const watch = reportLongTurns({ [longTurnsVariable]: `20,${file}` }, log);
  workFor(60);
  watch?.look();
  watch?.close();
  const turn = JSON.parse(await readFile(file, "utf8"));
  expect(turn).toMatchObject({ program: expect.any(String), ms: expect.any(Number) });
  expect(turn.stack.join("\n")).toContain("workFor");
  await rm(folder, { recursive: true });
});

test("without a file it is a warning of the log", () => {
  const watch = reportLongTurns({ [longTurnsVariable]: "20" }, log);
  workFor(60);
  watch?.look();
  watch?.close();
  expect(warnings).toEqual(["a turn of the event loop took long"]);
});
