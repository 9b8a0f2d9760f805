/** Runs the steps of a write in order, in time slices, and without holding memory while it waits for another service. */

import { inOrder } from "../base/in-order.ts";
import type { MemoryHold } from "../base/memory-budget.ts";
import { run, type Steps, type TimeSlice } from "../base/time-slice.ts";
import { timeout, tooManyRequests } from "../machinery/status/status.ts";
import type { WriteContext } from "./contract/write-context.ts";

/** One step of a write, which changes the write in place. It may take several slices, or wait. */
export type WriteStep<W> = (write: W) => void | Promise<void> | Steps<void>;

/** The part of a write that the driver needs. */
export interface SteppedWrite {
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
  return inOrder(steps, takeStep<W>, write, from);
}

/** In the next time slice if this one is over. */
function takeStep<W extends SteppedWrite>(step: WriteStep<W>, write: W): void | Promise<void> {
  if (write.slice?.isLong !== true) return runStep(step, write);
  return write.slice.next().then(() => {
    refuseIfGone(write.context);
    return runStep(step, write);
  });
}

export function runStep<W extends SteppedWrite>(step: WriteStep<W>, write: W): void | Promise<void> {
  const outcome = step(write);
  return outcome === undefined || outcome instanceof Promise ? outcome : run(outcome, write.slice);
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
