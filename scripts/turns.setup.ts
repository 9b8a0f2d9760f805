/**
 * With `ORCH_LONG_TURNS=100` a test file fails if a turn of the event loop takes more than 100 ms of processor time, and the failure shows
 * the calls that took it:
 *
 *   ORCH_LONG_TURNS=100 npm test -- src/controllers
 *
 * In servers that a file starts as programs everything counts, from when they are ready. In the worker itself only work of the product
 * counts that the event loop began: what a test or its runner calls is the test's own work, such as the making of a large object, and so is
 * the opening of a server, whose code is compiled then, with its first objects. Commands that look at a store serve nobody meanwhile.
 */

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type LongTurn, type TurnWatch, watchTurns } from "../src/base/turn-watch/turn-watch.ts";

const variable = "ORCH_LONG_TURNS";
const folder = ".cache/long-turns";

const isTests =
  /\.(test|suite|setup|fixture)\.ts$|\/node_modules\/|\/(test|testing|testkit)\/|^node:internal\/modules|src\/main\/(server|library|testing|doctor|backup\/check)|src\/upkeep\/bootstrap/;
const isOurs = /\/src\//;
const counts = (files: readonly string[]): boolean =>
  files.some((file) => isOurs.test(file)) && !files.some((file) => isTests.test(file));

// A file that ran before in this worker has left its own report there.
const msMax = Number.parseInt(process.env[variable] ?? "", 10);
if (!Number.isNaN(msMax)) {
  const report = join(process.cwd(), folder, `${process.pid}-${Math.random().toString(36).slice(2)}.jsonl`);
  const turns: string[] = [];
  let watch: TurnWatch | undefined;

  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    process.env[variable] = `${msMax},${report}`;
    watch = watchTurns({ msMax, counts, onLong: (turn) => turns.push(describe("this process", turn)) });
  });

  afterAll(() => {
    watch?.look();
    watch?.close();
    const lines = existsSync(report) ? readFileSync(report, "utf8").trimEnd().split("\n") : [];
    rmSync(report, { force: true });
    turns.push(...lines.map((line) => JSON.parse(line)).map((turn) => describe(turn.program, turn)));
    if (turns.length > 0) throw new Error(`${turns.length} turns of the event loop took long\n${turns.join("\n")}`);
  });
}

function describe(program: string, { ms, stack, functions }: LongTurn): string {
  return [`${ms} ms of ${program}`, ...stack.map((frame) => `    ${frame}`), `  in ${functions.join(", ")}`].join("\n");
}
