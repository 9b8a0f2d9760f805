/** `sleep`: waits on the clock of the simulation. */

import type { ShellProgram } from "../host.ts";
import { complains } from "./answers.ts";

/** A year: nothing that was sent to sleep for longer, or for ever, is waited for. */
export const sleepMsMax = 365 * 24 * 3_600_000;
const unitMs: Readonly<Record<string, number>> = { "": 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** `sleep 5 1.5m infinity`: the sum, on the clock of the simulation. */
export const sleep: ShellProgram = {
  name: "sleep",
  *run(call) {
    const intervals = call.args.map(intervalMs);
    const wrong = call.args.find((_, at) => intervals[at] === undefined);
    if (call.args.length === 0) return yield* complains(call, "missing operand");
    if (wrong !== undefined) return yield* complains(call, `invalid time interval '${wrong}'`);
    const ms = intervals.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    yield { at: "time", ms: call.host.nowMs() + Math.min(ms, sleepMsMax) };
    return 0;
  },
};

/** Reads "5", "1.5m" or "infinity"; undefined: it cannot be read. */
function intervalMs(text: string): number | undefined {
  if (text === "infinity" || text === "inf") return sleepMsMax;
  const [, count, unit = ""] = /^(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}
