/** Measures every turn of the event loop of this thread in processor time, and tells what the long ones were spent on. */

import { type Profiler, Session } from "node:inspector";
import { openThreadTime } from "./thread-time.ts";
import { type CountsSample, shareOf } from "./turn-profile.ts";

export interface LongTurn {
  readonly ms: number;
  /** From the outermost function to the innermost. */
  readonly stack: readonly string[];
  /** Where the time was spent, the most expensive function first. */
  readonly functions: readonly string[];
}

/** In milliseconds since any moment. */
interface TurnTimes {
  /** Processor time. */
  workedMs(): number;
  /** Time that has passed, of which a thread cannot have worked more. */
  elapsedMs(): number;
  close(): void;
}

interface TurnWatchOptions {
  /** Longer turns are told. */
  readonly msMax: number;
  /** Which samples of a turn count. Default: all. */
  readonly counts?: CountsSample;
  /** Default: those of this thread. */
  readonly times?: TurnTimes;
  onLong(turn: LongTurn): void;
}

export interface TurnWatch {
  /** Ends the current turn as far as the watch is concerned: what has been done until now is measured. */
  look(): void;
  close(): void;
}

const sampleMicros = 2_000;
/** The profile is taken in parts of about this many turns: that of a long turn is looked at, the others are dropped. */
const turnsOfProfile = 10_000;

/** Taken when this file is loaded: a test that replaces the timers of its process must not stop the watch. */
const every = setInterval;
const elapsedMs = performance.now.bind(performance);

/** The turn in which this is called does not count. */
export function watchTurns({
  msMax,
  counts = () => true,
  times = timesOfThread(),
  onLong,
}: TurnWatchOptions): TurnWatch {
  const profiler = openProfiler();
  let workedMs = times.workedMs();
  let beganMs = times.elapsedMs();
  let turns = 0;
  const look = () => {
    // Threads that wait for the processor do not work, and the time of a thread is known in ticks.
    const lastMs = times.elapsedMs() - beganMs;
    const ms = Math.min(times.workedMs() - workedMs, lastMs);
    if (ms > msMax || ++turns === turnsOfProfile) {
      turns = 0;
      const profile = profiler.next();
      if (ms > msMax) {
        const { share, ...spent } = shareOf({ profile, lastMs }, counts);
        if (ms * share > msMax) onLong({ ms: Math.round(ms * share), ...spent });
      }
    }
    workedMs = times.workedMs();
    beganMs = times.elapsedMs();
  };
  const timer = every(look, 1).unref();
  return {
    look,
    close() {
      clearInterval(timer);
      profiler.close();
      times.close();
    },
  };
}

function timesOfThread(): TurnTimes {
  const time = openThreadTime();
  return { workedMs: time.ms, elapsedMs, close: time.close };
}

/** A profile that is taken all the time. */
function openProfiler(): { next(): Profiler.Profile; close(): void } {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: sampleMicros });
  session.post("Profiler.start");
  return {
    /** What was sampled since the last call. */
    next() {
      let profile: Profiler.Profile | undefined;
      session.post("Profiler.stop", (_error, result) => {
        profile = result.profile;
      });
      session.post("Profiler.start");
      if (profile === undefined) throw new Error("the inspector gave no profile");
      return profile;
    },
    close: () => session.disconnect(),
  };
}
