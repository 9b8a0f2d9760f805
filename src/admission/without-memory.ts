/** Waiting for plugins, which may take long, without memory that other requests wait for. */

import type { MemoryHold } from "../base/memory-budget.ts";
import { tooManyRequests } from "../machinery/status/status.ts";

/** Resolves to the result of `pending`, once everything is held again. Refuses with 429 when too much is waiting already. */
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
