/** Compacts the store at intervals: revisions that no client can request any more. */

import { KvError } from "../kv/contract.ts";
import type { RegistryServices } from "./services.ts";

/** Starts; the returned function stops. */
export function startCompaction(services: RegistryServices): () => void {
  const { kv, cache, clock, limits, log } = services;
  /** Revisions with the times at which they were the newest, oldest first. */
  const samples: { readonly atMs: number; readonly revision: bigint }[] = [];
  let stopped = false;
  let cancel = (): void => {};
  const round = async (): Promise<void> => {
    cache.trim();
    const now = clock.monotonic();
    samples.push({ atMs: now, revision: cache.revision });
    let oldEnough: bigint | undefined;
    while (samples.length > 0 && samples[0]!.atMs <= now - limits.historyMs) oldEnough = samples.shift()!.revision;
    if (oldEnough !== undefined && oldEnough > 0n) await kv.compact(oldEnough);
  };
  const schedule = (): void => {
    cancel = clock.after(limits.compactIntervalMs, () => {
      round()
        .catch((error: unknown) => {
          // Another server on the same store may have been faster.
          if (!(error instanceof KvError && error.code === "compacted")) log.warn("compaction failed", { error });
        })
        .finally(() => {
          if (!stopped) schedule();
        });
    });
  };
  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
