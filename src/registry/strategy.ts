/** A write from its first step to its outcome: what the strategy of a kind gave to the object is kept or taken back with it. */

import type { Core } from "./core.ts";
import { drive, type Step } from "./drive.ts";
import { mayHaveHappened } from "./store-errors.ts";
import type { Write } from "./write-steps.ts";

/** `store` does the write itself, once all steps are done. */
export async function perform<W extends Write, T>(
  core: Core,
  steps: readonly Step<W>[],
  write: W,
  store: () => Promise<T>,
): Promise<T> {
  const pending = drive(steps, write);
  // Not awaited here, so that the object is not held while the disk works.
  if (pending === undefined) return settled(core, write.attempt, store());
  return pending.then(
    () => settled(core, write.attempt, store()),
    (error) => settled(core, write.attempt, Promise.reject(error)),
  );
}

async function settled<T>(core: Core, attempt: Write["attempt"], outcome: Promise<T>): Promise<T> {
  if (attempt === undefined) return outcome;
  let result: T;
  try {
    result = await outcome;
  } catch (error) {
    if (!mayHaveHappened(error)) await settle(core, () => attempt.failed());
    throw error;
  }
  await settle(core, () => attempt.stored());
  return result;
}

/** The object has been written or not; what goes wrong afterwards is found and repaired later. */
export async function settle(core: Core, step: () => Promise<void> | undefined): Promise<void> {
  try {
    await step();
  } catch (error) {
    core.log.warn("what an object held was not given back", { error });
  }
}
