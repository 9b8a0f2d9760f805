/** A write of a kind whose life reaches beyond its object: what was given to it is kept or taken back with the outcome. */

import type { StrategyWrite } from "./contract.ts";
import type { Core } from "./core.ts";
import { mayHaveHappened } from "./store-errors.ts";

/** `store` does the write itself, once the object has been filled in. */
export async function withStrategy<T>(core: Core, write: StrategyWrite, store: () => Promise<T>): Promise<T> {
  const strategy = core.strategies.get(write.family.id);
  if (strategy === undefined) return store();
  const attempt = await strategy.begin(write);
  let result: T;
  try {
    result = await store();
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
