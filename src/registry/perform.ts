/** A write from its first step to its outcome, which decides whether what the kind's strategy allocated is kept or freed. */

import type { Outcome, OutcomeCallback } from "./contract/admission.ts";
import type { StrategyAttempt } from "./contract/strategy.ts";
import type { Core } from "./core.ts";
import { drive, type Step } from "./drive.ts";
import { mayHaveHappened } from "./store-errors.ts";
import type { Write } from "./write-steps.ts";

/** `store` does the write itself, once all steps are done. */
export function perform<W extends Write, T>(
  core: Core,
  steps: readonly Step<W>[],
  write: W,
  store: () => Promise<T>,
): Promise<T> {
  let pending: void | Promise<void>;
  try {
    pending = drive(steps, write);
  } catch (error) {
    return withOutcome(core, write, Promise.reject(error));
  }
  // Not awaited here, so that the object is not kept in memory during the disk write.
  if (pending === undefined) return withOutcome(core, write, store());
  return pending.then(
    () => withOutcome(core, write, store()),
    (error) => withOutcome(core, write, Promise.reject(error)),
  );
}

/** The promise keeps nothing of the write in memory but the callbacks that wait for its outcome. */
function withOutcome<T>(core: Core, { attempt, request }: Write, outcome: Promise<T>): Promise<T> {
  const { waiting } = request ?? {};
  return attempt === undefined && waiting === undefined
    ? outcome
    : reportOutcome(core, attempt, waiting ?? [], outcome);
}

async function reportOutcome<T>(
  core: Core,
  attempt: StrategyAttempt | undefined,
  waiting: readonly OutcomeCallback[],
  outcome: Promise<T>,
): Promise<T> {
  const report = async (how: Outcome) => {
    if (how === "stored") await afterWrite(core, () => attempt?.stored());
    if (how === "failed") await afterWrite(core, () => attempt?.failed());
    for (const callback of waiting) await afterWrite(core, () => callback(how));
  };
  let result: T;
  try {
    result = await outcome;
  } catch (error) {
    await report(mayHaveHappened(error) ? "unknown" : "failed");
    throw error;
  }
  await report("stored");
  return result;
}

/** Runs a step whose failure cannot change the outcome of the write: it is logged, and repaired later. */
export async function afterWrite(core: Core, step: () => Promise<void> | undefined): Promise<void> {
  try {
    await step();
  } catch (error) {
    core.log.warn("cleanup after a write failed", { error });
  }
}
