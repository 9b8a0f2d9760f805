/** When the servers behind API services are checked: soon after a change, and from time to time; more often while they do not answer. */

import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";

/** Time between two checks of a server that answers. */
export const checkIntervalMs = 30_000;
/** Delay after a change: several changes cause one check. */
export const checkSoonMs = 50;
/** Time until a server that did not answer is checked again; doubled by each failure, up to `checkIntervalMs`. */
export const checkRetryMs = 500;

interface CheckRounds {
  /** A spec that is the same as before does not count as a change: a write of the status comes here too. */
  begin(name: string, spec: unknown): void;
  /** What the check depends on has changed. Ignored for names that were not begun. */
  soon(name: string): void;
  forget(name: string): void;
  close(): void;
}

interface Round {
  spec: unknown;
  failures: number;
  at: "waiting" | "checking" | "checking, and changed meanwhile";
  cancel(): void;
}

/** `check` tells whether the server has answered; it does not reject. A slow server does not delay other checks. */
export function createCheckRounds(clock: Clock, check: (name: string) => Promise<boolean>): CheckRounds {
  const rounds = new Map<string, Round>();

  const schedule = (name: string, round: Round, ms: number): void => {
    round.cancel();
    round.at = "waiting";
    round.cancel = clock.after(ms, () => void run(name, round));
  };
  const run = async (name: string, round: Round): Promise<void> => {
    round.at = "checking";
    const passed = await check(name);
    if (rounds.get(name) !== round) return;
    round.failures = passed ? 0 : round.failures + 1;
    const retryMs = Math.min(checkRetryMs * 2 ** (round.failures - 1), checkIntervalMs);
    schedule(name, round, isChanged(round) ? checkSoonMs : passed ? checkIntervalMs : retryMs);
  };
  const change = (name: string, round: Round): void => {
    // The check in progress may have seen the state before.
    if (round.at === "waiting") schedule(name, round, checkSoonMs);
    else round.at = "checking, and changed meanwhile";
  };
  return {
    begin(name, spec) {
      const known = rounds.get(name);
      if (known !== undefined && isDeepStrictEqual(known.spec, spec)) return;
      const round: Round = known ?? { spec, failures: 0, at: "waiting", cancel() {} };
      round.spec = spec;
      rounds.set(name, round);
      change(name, round);
    },
    soon(name) {
      const round = rounds.get(name);
      if (round !== undefined) change(name, round);
    },
    forget(name) {
      rounds.get(name)?.cancel();
      rounds.delete(name);
    },
    close() {
      for (const { cancel } of rounds.values()) cancel();
      rounds.clear();
    },
  };
}

/** A function, since the state changes while the check is awaited. */
const isChanged = ({ at }: Round): boolean => at === "checking, and changed meanwhile";
