/** Runs the steps of a write in order, in time slices with others, and without holding memory while it waits for somebody else. */

import { withoutMemory } from "../admission/without-memory.ts";
import type { MemoryHold } from "../base/memory-budget.ts";
import { run, type Steps, type Turns } from "../base/turns.ts";
import { timeout } from "../machinery/status/status.ts";
import type { WriteContext } from "./contract/write-context.ts";

/** One step of a write, which changes what is known of the write in place. It may take several slices, or wait. */
export type Step<W> = (write: W) => void | Promise<void> | Steps<void>;

/** What the driver needs to know of a write. */
export interface Driven {
  readonly context: WriteContext;
  /** Undefined: it is so small that it is done in one slice. */
  readonly turns: Turns | undefined;
  /** What others may be waiting for, besides what the context holds. */
  readonly hold?: MemoryHold | undefined;
}

/** Undefined: all steps are done. Otherwise something was waited for, or took long. */
export function drive<W extends Driven>(steps: readonly Step<W>[], write: W, from = 0): void | Promise<void> {
  const { turns } = write;
  for (let at = from; at < steps.length; at++) {
    if (turns?.isLong) {
      return turns.next().then(() => {
        refuseIfGone(write.context);
        return drive(steps, write, at);
      });
    }
    const outcome = steps[at]!(write);
    if (outcome === undefined) continue;
    const pending = outcome instanceof Promise ? outcome : run(outcome, turns);
    if (pending instanceof Promise) return pending.then(() => drive(steps, write, at + 1));
  }
}

/** Before anything is written: a client that was told that its request failed must not find that it happened after all. */
export function refuseIfGone({ asker }: WriteContext): void {
  if (asker?.gone) throw timeout("nobody waits for the outcome any more");
}

/** Waits for somebody else, such as a webhook, which may take long: nothing that other requests wait for is held meanwhile. */
export function waitOutside<T>(write: Pick<Driven, "hold" | "context">, pending: Promise<T>): Promise<T> {
  return withoutMemory([write.hold, write.context.memory], pending);
}
