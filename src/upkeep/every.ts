/** Rounds at intervals: one after the other, and one that fails is logged and tried again at the next. */

import type { RunningUpkeep, UpkeepParts } from "./contract.ts";

export interface Rounds {
  /** As the log names it. */
  readonly name: string;
  /** Between the end of a round and the next. */
  readonly intervalMs: number;
  round(): Promise<void>;
}

export function every({ clock, log }: Pick<UpkeepParts, "clock" | "log">, rounds: Rounds): RunningUpkeep {
  let closed = false;
  let underWay: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const run = async (): Promise<void> => {
    await rounds.round().catch((error: unknown) => {
      if (!closed) log.warn("upkeep failed", { of: rounds.name, error });
    });
    schedule();
  };
  const schedule = (): void => {
    if (closed) return;
    cancel = clock.after(rounds.intervalMs, () => {
      underWay = run();
    });
  };
  schedule();
  return {
    async close() {
      closed = true;
      cancel();
      await underWay;
    },
  };
}
