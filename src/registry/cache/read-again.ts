/** Reads unreadable objects again: when the keys have changed, and while the process that has the keys does not answer. */

import { TimeSlice } from "../../base/time-slice.ts";
import { type KvEntry, KvError } from "../../kv/contract.ts";
import type { RegistryServices } from "../services.ts";
import { readValues } from "./read-values.ts";

/** How long to wait before the next attempt: at first, and at most. */
const readAgainFirstMs = 1_000;
export const readAgainMaxMs = 30_000;

/** How many objects are read in one time slice; clients begin their watches again after each. */
const readAtOnceMax = 200;

/** Starts the loop; the returned function stops it. */
export function startReadingAgain(services: RegistryServices): () => void {
  const { cache, transformer, clock, log } = services;
  let delayMs = readAgainFirstMs;
  let cancel: (() => void) | undefined;
  let running = false;
  let stopped = false;

  const attempt = async (): Promise<void> => {
    if (running || stopped) return;
    running = true;
    try {
      const before = cache.unreadable.size;
      const entries = entriesOf(services);
      const slice = new TimeSlice();
      for (let at = 0; at < entries.length; at += readAtOnceMax) {
        const read = await readValues(entries.slice(at, at + readAtOnceMax), cache.reader);
        if (slice.isLong) await slice.next();
        if (stopped) return;
        cache.applyRecovered(read);
        if (slice.isLong) await slice.next();
      }
      const recovered = before - cache.unreadable.size;
      if (recovered > 0) log.info("stored objects can be read again", { recovered, left: cache.unreadable.size });
      delayMs = recovered > 0 ? readAgainFirstMs : Math.min(delayMs * 2, readAgainMaxMs);
    } catch (error) {
      log.warn("reading objects again failed", { error });
    } finally {
      running = false;
    }
  };
  /** Only while some are unreadable: an idle server has no timer for this. */
  const schedule = (): void => {
    if (stopped || cancel !== undefined || cache.unreadable.size === 0) return;
    cancel = clock.after(delayMs, () => {
      void (cache.unreadable.mayRecover ? attempt() : Promise.resolve()).then(() => {
        cancel = undefined;
        schedule();
      });
    });
  };
  schedule();
  cache.unreadable.onAdded = schedule;
  const forget = transformer.onChange(() => {
    delayMs = readAgainFirstMs;
    if (cache.unreadable.size > 0) void attempt();
  });
  return () => {
    stopped = true;
    cancel?.();
    forget();
  };
}

/** As the store would return them. */
function entriesOf({ cache }: RegistryServices): KvEntry[] {
  return [...cache.unreadable.all()].map(({ family, path, object: { stored, revision, error } }) => ({
    key: `/${family}/${path}`,
    value: stored,
    revision,
    created: revision,
    ...(error instanceof KvError && { damage: error }),
  }));
}
