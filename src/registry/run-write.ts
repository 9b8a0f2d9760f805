/** A write from its first step to its outcome, which decides whether what the kind's strategy allocated is kept or freed. */

import type { OutcomeCallback, WriteOutcome } from "./contract/admission.ts";
import type { AllocationAttempt } from "./contract/allocator.ts";
import type { WriteStep } from "./run-steps.ts";
import type { RegistryServices } from "./services.ts";
import { mayHaveHappened } from "./store-errors.ts";
import type { Write } from "./write-steps.ts";

/** `store` does the write itself, once all steps are done. */
export function runWrite<W extends Write, T>(
  services: RegistryServices,
  steps: readonly WriteStep<W>[],
  write: W,
  store: () => Promise<T>,
): Promise<T> {
  let pending: void | Promise<void>;
  try {
    pending = services.batching.run(steps, write);
  } catch (error) {
    return withOutcome(services, write, Promise.reject(error));
  }
  // Not awaited here, so that the object is not kept in memory during the disk write.
  if (pending === undefined) return withOutcome(services, write, store());
  return pending.then(
    () => withOutcome(services, write, store()),
    (error) => withOutcome(services, write, Promise.reject(error)),
  );
}

/** The promise keeps nothing of the write in memory but the callbacks that wait for its outcome. */
function withOutcome<T>(services: RegistryServices, { attempt, request }: Write, outcome: Promise<T>): Promise<T> {
  const { waiting } = request ?? {};
  return attempt === undefined && waiting === undefined
    ? outcome
    : reportOutcome(services, attempt, waiting ?? [], outcome);
}

async function reportOutcome<T>(
  services: RegistryServices,
  attempt: AllocationAttempt | undefined,
  waiting: readonly OutcomeCallback[],
  outcome: Promise<T>,
): Promise<T> {
  const report = async (how: WriteOutcome) => {
    if (how === "stored") await afterWrite(services, () => attempt?.stored());
    if (how === "failed") await afterWrite(services, () => attempt?.failed());
    for (const callback of waiting) await afterWrite(services, () => callback(how));
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
export async function afterWrite(services: RegistryServices, step: () => Promise<void> | undefined): Promise<void> {
  try {
    await step();
  } catch (error) {
    services.log.warn("cleanup after a write failed", { error });
  }
}
