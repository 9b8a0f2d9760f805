/**
 * Small writes that arrive in the same turn of the event loop take their steps together: all take the first step, then all take the second.
 * The code and data of a step are then still in the caches of the processor, which one write with all its steps would fill with other
 * things. Worked example, for the writes a and b and three steps, of which the second waits for b:
 *
 *   1(a) 1(b) 2(a) 2(b) 3(a), and a is done; after the wait 3(b), and b is done
 */

import { run, type Steps, TimeSlice } from "../base/time-slice.ts";
import { endOfTurn, inNextTurn } from "../base/turns.ts";
import type { Batching } from "./contract/batching.ts";
import { runStep, runSteps, type SteppedWrite, type WriteStep } from "./run-steps.ts";

/** How many small writes take their steps together; all of them are held in memory until the last step. */
export const writesTogetherMax = 32;
/** After how many of them the clock is read. */
const writesPerLook = 4;

/** One for each registry, which gives it all its writes. */
export class TurnBatching implements Batching {
  /** Undefined: nobody counts them, so that no write can be known to be alone. */
  #writers: { readonly used: number } | undefined;
  /** Writes with the same steps. */
  readonly #batches = new Map<unknown, Batch>();

  follow(writers: { readonly used: number }): void {
    this.#writers = writers;
  }

  gather(): Promise<void> | undefined {
    return this.#isAlone ? undefined : endOfTurn();
  }

  get #isAlone(): boolean {
    return this.#writers !== undefined && this.#writers.used <= 1;
  }

  /** As `runSteps`, beside other writes with the very same list of steps. */
  run<W extends SteppedWrite>(steps: readonly WriteStep<W>[], write: W): void | Promise<void> {
    let batch = this.#batches.get(steps);
    // A large object is not held until others are done, and a lone one has none to wait for.
    if (write.slice !== undefined || (this.#isAlone && batch?.isEmpty !== false)) return runSteps(steps, write);
    if (batch === undefined) {
      batch = new Batch(steps as readonly WriteStep<SteppedWrite>[]); // only writes that have these steps get into it
      this.#batches.set(steps, batch);
    }
    return batch.add(write);
  }
}

/** Each write runs alone, in the asynchronous context of its request, which is lost where several take a step together. */
export class NoBatching extends TurnBatching {
  override run<W extends SteppedWrite>(steps: readonly WriteStep<W>[], write: W): void | Promise<void> {
    return runSteps(steps, write);
  }
}

/** The writes with one list of steps that wait for the end of the turn. */
class Batch {
  readonly #steps: readonly WriteStep<SteppedWrite>[];
  #waiting: Joined[] = [];
  readonly #begin = (): void => {
    const all = this.#waiting;
    this.#waiting = [];
    void run(takeTogether(this.#steps, all), new TimeSlice());
  };

  constructor(steps: readonly WriteStep<SteppedWrite>[]) {
    this.#steps = steps;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(write: SteppedWrite): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting;
      waiting.push({ write, resolve, reject });
      if (waiting.length === 1) inNextTurn(this.#begin);
      if (waiting.length === writesTogetherMax) this.#begin();
    });
  }
}

interface Joined {
  readonly write: SteppedWrite;
  resolve(outcome: void | Promise<void>): void;
  reject(error: unknown): void;
}

/** Small writes may still take long, where a kind has rules that cost much: then other requests come in between. */
function* takeTogether(steps: readonly WriteStep<SteppedWrite>[], all: readonly Joined[]): Steps<void> {
  let left = all;
  for (let at = 0; at < steps.length; at++) {
    const taken: Joined[] = [];
    for (const one of left) {
      if (takesOn(steps, at, one)) taken.push(one);
      if (taken.length % writesPerLook === 0) yield;
    }
    left = taken;
  }
  for (const { resolve } of left) resolve();
}

/** Takes one step. False: the write waits, or has failed, and goes on without the others. */
function takesOn(steps: readonly WriteStep<SteppedWrite>[], at: number, { write, resolve, reject }: Joined): boolean {
  try {
    const pending = runStep(steps[at]!, write);
    if (pending === undefined) return true;
    resolve(pending.then(() => runSteps(steps, write, at + 1)));
  } catch (error) {
    reject(error);
  }
  return false;
}
