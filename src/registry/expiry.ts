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

/** Starts the loop; the returned function stops it. */
export function startExpiry(services: RegistryServices): () => void {
  const { clock, limits, log } = services;
  if (limits.lifeMs === 0) return () => {};
  let stopped = false;
  let cancel = (): void => {};
  const round = async (): Promise<void> => {
    let full = false;
    for (const collection of services.cache.collections) {
      if (stopped) return;
      if (collection.family.strategy.ttlSeconds === undefined) continue;
      full = (await sweep(services, collection.family)) || full;
    }
    if (!stopped) schedule(full ? 0 : limits.expiryIntervalMs);
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
  requirements: 0,
  path: undefined,
  matches: () => true,
};

/** Removes expired objects, at most a batch; returns whether more are due. It may read every object, so it runs in time slices. */
async function sweep(services: RegistryServices, family: Family): Promise<boolean> {
  const due: StoredEntry[] = [];
  const ttlMs = services.limits.lifeMs ?? (family.strategy.ttlSeconds ?? 0) * 1_000;
  const now = services.clock.now();
  const { live } = services.cache.of(family);
  const look = (entry: StoredEntry): boolean => {
    if (writtenAtMs(entry) + ttlMs <= now) due.push(entry);
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
      await remove(services, family, entry);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error; // written again, or removed by another server
    }
  }
  return due.length === batchMax;
}

/** The newest time in an object: its creation, or when one of its managers last changed it. */
function writtenAtMs(entry: StoredEntry): number {
  return entry.representation("written-at", () => {
    const { creationTimestamp, managedFields = [] } = entry.object().metadata;
    const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
    return Math.max(0, ...times.map((time) => (time ? Date.parse(time) : 0)));
  });
}
