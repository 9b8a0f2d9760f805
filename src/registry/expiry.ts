/** Objects that expire: a kind sets their TTL in seconds, counted from the last write. */

import { TimeSlice } from "../base/time-slice.ts";
import { RevisionConflict } from "../kv/contract.ts";
import type { Family } from "../machinery/schema/catalog.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { Selection } from "./cache/selection.ts";
import { find } from "./cache/snapshot.ts";
import { walk } from "./cache/walk.ts";
import type { RegistryServices } from "./services.ts";
import { remove } from "./write.ts";

/** How many objects are removed in one batch, so that a flood of them does not delay writers. */
const batchMax = 100;

/** All objects are looked at this often at least: another server on the same store may write with a clock that is behind. */
const lookMsMax = 300_000;

/** Starts the loop; the returned function stops it. */
export function startExpiry(services: RegistryServices): () => void {
  const { clock, limits, log } = services;
  if (limits.lifeMs === 0) return () => {};
  let stopped = false;
  let cancel = (): void => {};
  /** Until when a family needs no look, on the monotonic clock: what is written later expires later. */
  const restsUntilMs = new Map<Family, number>();
  const round = async (): Promise<void> => {
    let isFull = false;
    for (const { family } of services.cache.collections) {
      if (stopped) return;
      if (family.strategy.ttlSeconds === undefined || clock.monotonic() < (restsUntilMs.get(family) ?? 0)) continue;
      const restMs = (await sweep(services, family)) - clock.now();
      isFull ||= restMs <= 0;
      restsUntilMs.set(family, clock.monotonic() + Math.min(restMs, lookMsMax));
    }
    if (!stopped) schedule(isFull ? 0 : limits.expiryIntervalMs);
  };
  const schedule = (ms: number): void => {
    cancel = clock.after(ms, () => {
      round().catch((error: unknown) => {
        log.warn("removing expired objects failed", { error });
        if (!stopped) schedule(limits.expiryIntervalMs);
      });
    });
  };
  schedule(limits.expiryIntervalMs);
  return () => {
    stopped = true;
    cancel();
  };
}

const everything: Selection = {
  namespace: "",
  restricted: false,
  terms: [],
  hasCondition: false,
  requirements: 0,
  path: undefined,
  matches: () => true,
};

/** Removes expired objects, at most a batch; returns when the next one is due. It may read every object, so it runs in time slices. */
async function sweep(services: RegistryServices, family: Family): Promise<number> {
  const due: StoredEntry[] = [];
  const ttlMs = services.limits.lifeMs ?? (family.strategy.ttlSeconds ?? 0) * 1_000;
  const now = services.clock.now();
  const { live } = services.cache.of(family);
  let nextMs = now + ttlMs;
  const look = (entry: StoredEntry): boolean => {
    const writtenMs = writtenAtMs(entry);
    const dueMs = Math.min(writtenMs, seenAheadMs(entry, writtenMs, services)) + ttlMs;
    if (dueMs > now) nextMs = Math.min(nextMs, dueMs);
    else due.push(entry);
    return due.length < batchMax;
  };
  const slice = new TimeSlice();
  for (let from: string | undefined = ""; from !== undefined; ) {
    from = walk(live, everything, from, look, slice);
    if (from !== undefined) await slice.next();
  }
  for (const entry of due) {
    if (find(services.cache.of(family).live, entry.path) !== entry) continue;
    try {
      await remove(services, family, entry, undefined);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error; // written again, or removed by another server
    }
  }
  return due.length === batchMax ? now : nextMs;
}

/** The newest time in an object: its creation, or when one of its managers last changed it. */
function writtenAtMs(entry: StoredEntry): number {
  return entry.representation("written-at", () => {
    const { creationTimestamp, managedFields = [] } = entry.object().metadata;
    const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
    return Math.max(0, ...times.map((time) => (time ? Date.parse(time) : 0)));
  });
}

/** When an object that was written by a clock that has been set back since was first seen, as if it had been written then. */
const seenAhead = new WeakMap<StoredEntry, number>();

/** Without it such an object would stay until the clock has come that far, which may be years. Infinity: it is not from the future. */
function seenAheadMs(entry: StoredEntry, writtenMs: number, { clock }: RegistryServices): number {
  const known = seenAhead.get(entry);
  if (known === undefined && writtenMs <= clock.now() + aheadMsMax) return Number.POSITIVE_INFINITY;
  const seenMs = known ?? clock.monotonic();
  seenAhead.set(entry, seenMs);
  return clock.now() - (clock.monotonic() - seenMs);
}

/** Clocks of servers on one store may differ by so much. */
const aheadMsMax = 60_000;
