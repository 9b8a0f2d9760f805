/** `orch run --emulated-version=1.24,1.28 -- COMMAND`: the command once at each level, and one table of how each run ended. */

import { availableParallelism } from "node:os";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Level } from "../../machinery/schema/levels.ts";

/** Each run has a server of its own, so more runs than this at once would mostly wait for memory. */
const levelsAtOnceMax = 4;

/** How a run ended: the exit code of the command, or why it did not start. */
interface Ending {
  readonly level: Level;
  readonly code: number;
  readonly ms: number;
  readonly problem?: string;
}

interface LevelRuns {
  readonly levels: readonly Level[];
  /** The code of the command. `label` is what begins its lines. */
  readonly run: (level: Level, label: string) => Promise<number>;
  readonly clock: { now(): number };
  readonly write: (text: string) => void;
  readonly atOnce?: number;
}

/** The first code that is not 0, in the order of the levels. */
export async function runAtLevels({ levels, run, clock, write, atOnce = levelsAtOnce() }: LevelRuns): Promise<number> {
  const endings = new Map<Level, Ending>();
  const waiting = [...levels];
  const runOne = async (level: Level): Promise<void> => {
    const startMs = clock.now();
    const end = (code: number, problem?: string) =>
      endings.set(level, { level, code, ms: clock.now() - startMs, ...(problem === undefined ? {} : { problem }) });
    try {
      end(await run(level, labelOf(level)));
    } catch (error) {
      end(1, error instanceof Error ? error.message : String(error));
    }
  };
  const work = async (): Promise<void> => {
    for (let level = waiting.shift(); level !== undefined; level = waiting.shift()) await runOne(level);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, levels.length) }, work));
  const inOrder = levels.flatMap((level) => endings.get(level) ?? []);
  write(table(inOrder));
  return inOrder.find(({ code }) => code !== 0)?.code ?? 0;
}

const levelsAtOnce = (): number => Math.max(1, Math.min(levelsAtOnceMax, availableParallelism()));

const labelOf = (level: Level): string => `[${level}] `;

function table(endings: readonly Ending[]): string {
  const rows = endings.map(({ level, code, ms, problem }) => [
    level,
    code === 0 ? "passed" : "failed",
    problem === undefined ? String(code) : "-",
    `${(ms / 1_000).toFixed(1)}s`,
    problem ?? "",
  ]);
  const all = [["LEVEL", "RESULT", "EXIT CODE", "TIME", ""], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** A line longer than this is passed on in pieces. */
const lineCharsMax = 64 * 1024;

/** Writes whole lines, each after the label, so that lines of runs beside each other do not mix. */
export function labelled(label: string, to: Pick<Writable, "write">): { write(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const take = (text: string): void => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) to.write(`${label}${line}\n`);
    if (rest.length <= lineCharsMax) return;
    to.write(`${label}${rest}\n`);
    rest = "";
  };
  return {
    write: (chunk) => take(decoder.write(chunk)),
    end() {
      take(decoder.end());
      if (rest !== "") to.write(`${label}${rest}\n`);
      rest = "";
    },
  };
}
