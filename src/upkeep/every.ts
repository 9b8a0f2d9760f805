/** Periodic rounds, one after the other; a failed round is logged and retried at the next interval. */

import type { RunningUpkeep, UpkeepParts } from "./contract.ts";

interface Rounds {
  /** The name in the log. */
  readonly name: string;
  /** Between the end of a round and the next. */
  readonly intervalMs: number;
  /** Whether the first round begins at once. Default: after the first interval. */
  readonly atOnce?: boolean;
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
  if (rounds.atOnce === true) underWay = run();
  else schedule();
  return {
    async close() {
      closed = true;
      cancel();
      await underWay;
    },
  };
}
