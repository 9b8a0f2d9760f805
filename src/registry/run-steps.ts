/** Runs the steps of a write in order, in time slices, and without holding memory while it waits for another service. */

import type { MemoryHold } from "../base/memory-budget.ts";
import { run, type Steps, TimeSlice } from "../base/time-slice.ts";
import { inNextTurn } from "../base/turns.ts";
import { timeout, tooManyRequests } from "../machinery/status/status.ts";
import type { WriteContext } from "./contract/write-context.ts";

/** One step of a write, which changes the write in place. It may take several slices, or wait. */
export type WriteStep<W> = (write: W) => void | Promise<void> | Steps<void>;

/** The part of a write that the driver needs. */
interface SteppedWrite {
  readonly context: WriteContext;
  /** Undefined: the write is small enough for one slice. */
  readonly slice: TimeSlice | undefined;
  /** Memory that others may be waiting for, in addition to that of the context. */
  readonly hold?: MemoryHold | undefined;
}

/** Undefined: all steps are done. A promise: a step waited for something, or took long. */
export function runSteps<W extends SteppedWrite>(
  steps: readonly WriteStep<W>[],
  write: W,
  from = 0,
): void | Promise<void> {
  const { slice } = write;
  for (let at = from; at < steps.length; at++) {
    if (slice?.isLong) {
      return slice.next().then(() => {
        refuseIfGone(write.context);
        return runSteps(steps, write, at);
      });
    }
    const pending = runStep(steps[at]!, write);
    if (pending !== undefined) return pending.then(() => runSteps(steps, write, at + 1));
  }
}

function runStep<W extends SteppedWrite>(step: WriteStep<W>, write: W): void | Promise<void> {
  const outcome = step(write);
  return outcome === undefined || outcome instanceof Promise ? outcome : run(outcome, write.slice);
}

/** How many small writes take their steps together; all of them are held in memory until the last step. */
export const writesTogetherMax = 32;
/** After how many of them the clock is read. */
const writesPerLook = 4;

/**
 * Makes one step of several. Writes that arrive in the same turn of the event loop take them together: all take the first step, then
 * all take the second. The code and data of a step are then still in the caches of the processor, which one write with all its
 * steps would fill with other things. Worked example, for the writes a and b and three steps, of which the second waits for b:
 *
 *   1(a) 1(b) 2(a) 2(b) 3(a), and a is done; after the wait 3(b), and b is done
 */
export function together<W extends SteppedWrite>(steps: readonly WriteStep<W>[]): WriteStep<W> {
  let waiting: Joined<W>[] = [];
  const begin = () => {
    const all = waiting;
    waiting = [];
    void run(takeTogether(steps, all), new TimeSlice());
  };
  return (write) => {
    // A large object is not held until others are done, and a lone one has none to wait for.
    if (write.slice !== undefined || (write.context.isAlone === true && waiting.length === 0))
      return runSteps(steps, write);
    return new Promise((resolve, reject) => {
      const { length } = waiting;
      waiting.push({ write, resolve, reject });
      if (length === 0) inNextTurn(begin);
      if (length + 1 === writesTogetherMax) begin();
    });
  };
}

interface Joined<W> {
  readonly write: W;
  resolve(outcome: void | Promise<void>): void;
  reject(error: unknown): void;
}

/** Small writes may still take long, where a kind has rules that cost much: then other requests come in between. */
function* takeTogether<W extends SteppedWrite>(steps: readonly WriteStep<W>[], all: readonly Joined<W>[]): Steps<void> {
  let left = all;
  for (let at = 0; at < steps.length; at++) {
    const taken: Joined<W>[] = [];
    for (const one of left) {
      if (takesOn(steps, at, one)) taken.push(one);
      if (taken.length % writesPerLook === 0) yield;
    }
    left = taken;
  }
  for (const { resolve } of left) resolve();
}

/** Takes one step. False: the write waits, or has failed, and goes on without the others. */
function takesOn<W extends SteppedWrite>(
  steps: readonly WriteStep<W>[],
  at: number,
  { write, resolve, reject }: Joined<W>,
): boolean {
  try {
    const pending = runStep(steps[at]!, write);
    if (pending === undefined) return true;
    resolve(pending.then(() => runSteps(steps, write, at + 1)));
  } catch (error) {
    reject(error);
  }
  return false;
}

/** Before anything is written: a request that has failed for the client must not take effect afterwards. */
export function refuseIfGone({ caller }: WriteContext): void {
  if (caller?.gone) throw timeout("the request has ended");
}

/** Waits for another service, such as a webhook, which may take long: meanwhile it holds nothing that other requests wait for. */
export function waitOutside<T>(write: Pick<SteppedWrite, "hold" | "context">, pending: Promise<T>): Promise<T> {
  return withoutMemory([write.hold, write.context.memory], pending);
}

/** Admission is a separate step in the trace of a slow request; the work before it is the step "object". */
export function admitted(
  write: Pick<SteppedWrite, "hold" | "context">,
  admit: () => void | Promise<void>,
): void | Promise<void> {
  const { caller } = write.context;
  caller?.mark?.("object");
  const pending = admit();
  if (pending === undefined) return caller?.mark?.("admission");
  return waitOutside(write, pending).finally(() => caller?.mark?.("admission"));
}

/** Releases memory while others are waited for. Resolves to the result of `pending`, once everything is held again. Refuses with 429 when too much is waiting already. */
export async function withoutMemory<T>(given: readonly (MemoryHold | undefined)[], pending: Promise<T>): Promise<T> {
  const holds = given.filter((hold) => hold !== undefined);
  if (!holds.every((hold) => hold.release())) {
    pending.catch(() => undefined); // it is refused already
    throw tooManyRequests("too many large objects wait for admission, please try again later", 1);
  }
  const result = await pending;
  for (const hold of holds) await hold.acquire();
  return result;
}
