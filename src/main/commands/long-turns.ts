/** `ORCH_LONG_TURNS`: a server reports every turn of its event loop that takes too long, with the calls that took the time. */

import { appendFileSync } from "node:fs";
import type { Log } from "../../base/log.ts";
import { type LongTurn, type TurnWatch, watchTurns } from "../../base/turn-watch/turn-watch.ts";

/**
 * "100": turns of more than 100 ms of processor time are reported in the log. "100,FILE": a line of JSON is appended to the file for each.
 * Absent: nothing is measured.
 */
export const longTurnsVariable = "ORCH_LONG_TURNS";

/**
 * Called once the process is ready, and measures what follows. Until then nobody waits for an answer, and the program is loaded and
 * compiled; what is made for the first request counts, because its sender and all others wait for it.
 */
export function reportLongTurns(env: NodeJS.ProcessEnv, log: Log): TurnWatch | undefined {
  const chosen = env[longTurnsVariable] ?? "";
  if (chosen === "") return undefined;
  const [, ms, file] = /^([1-9][0-9]*)(?:,(.+))?$/.exec(chosen) ?? [];
  if (ms === undefined)
    throw new Error(`${longTurnsVariable}: must be a number of milliseconds, or one with a comma and a path`);
  const program = process.argv.slice(1).join(" ");
  const toFile = (path: string) => (turn: LongTurn) =>
    appendFileSync(path, `${JSON.stringify({ program, ...turn })}\n`);
  const toLog = (turn: LongTurn) => log.warn("a turn of the event loop took long", { ...turn });
  return watchTurns({ msMax: Number(ms), onLong: file === undefined ? toLog : toFile(file) });
}
