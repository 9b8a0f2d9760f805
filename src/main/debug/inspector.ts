/** The inspector of this process, without a port: profiles are taken from inside, one at a time. */

import type { Session } from "node:inspector/promises";
import type { Clock } from "../../base/clock.ts";
import { badRequest, tooManyRequests } from "../../machinery/status/status.ts";

/** How long a profile takes when the client does not say, as in v1.21, and at most. */
export const profileSecondsUsual = 30;
export const profileSecondsMax = 300;

export interface Inspector {
  /** Runs `work` with a session that nothing else uses; a second one is refused with 429. */
  alone<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
}

export function createInspector(): Inspector {
  let isBusy = false;
  return {
    async alone(work) {
      if (isBusy) throw tooManyRequests("another profile is being taken, please try again later", 10);
      isBusy = true;
      // Reading this module takes 4 ms of a start, and few servers are ever profiled.
      const inspector = process.getBuiltinModule("node:inspector/promises");
      const session = new inspector.Session();
      try {
        session.connect();
        return await work(session);
      } finally {
        session.disconnect();
        isBusy = false;
      }
    },
  };
}

/** Reads the query `?seconds=`. */
export function readSeconds(target: string): number {
  const text = new URL(target, "http://unused").searchParams.get("seconds");
  if (text === null || text === "") return profileSecondsUsual;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > profileSecondsMax) {
    throw badRequest(`seconds: must be a whole number from 1 to ${profileSecondsMax}`);
  }
  return seconds;
}

/** Resolves after the time, or when the client has left. */
export function waitFor(seconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(seconds * 1_000, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
