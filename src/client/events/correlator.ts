/** Decides how an Event is written, as in v1.21: as a new object, as a count in an existing one, aggregated, or not. */

import type { Clock } from "../../base/clock.ts";

export interface EventDraft {
  readonly component: string;
  readonly host: string;
  readonly involved: Readonly<Record<string, string | undefined>>;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export type Correlated =
  /** Dropped: too many of this source about this object. */
  | { readonly action: "drop" }
  /** The first of its kind. Call `written` with the object. */
  | Counted<"create">
  /** The object `name` already exists. */
  | (Counted<"count"> & { readonly name: string });

interface Counted<Action extends string> {
  readonly action: Action;
  /** The key of the Event. */
  readonly key: string;
  readonly message: string;
  /** How often it happened, this time included. */
  readonly count: number;
  readonly firstTimestampMs: number;
}

/** How many Events that differ only in their message are written in `similarMs`; further ones are aggregated. */
export const similarEventsMax = 10;
const similarMs = 600_000;
/** Events about one object from one source: a burst, then one every five minutes. */
export const eventBurstMax = 25;
const eventRefillMs = 300_000;
/** How many past Events are remembered; the least recent is dropped. */
const eventMemoryMax = 4096;

interface Correlator {
  correlate(event: EventDraft): Correlated;
  /** The event of `key` exists under this name now. */
  written(key: string, name: string): void;
}

interface Observed {
  name: string;
  count: number;
  readonly firstTimestampMs: number;
}

export function createCorrelator(clock: Clock): Correlator {
  const buckets = createMemory<{ tokens: number; atMs: number }>();
  const similar = createMemory<{ messages: Set<string>; lastMs: number }>();
  const observed = createMemory<Observed>();

  const isSpam = (source: string): boolean => {
    const now = clock.now();
    const bucket = buckets.get(source) ?? { tokens: eventBurstMax, atMs: now };
    bucket.tokens = Math.min(eventBurstMax, bucket.tokens + (now - bucket.atMs) / eventRefillMs);
    bucket.atMs = now;
    buckets.set(source, bucket);
    if (bucket.tokens < 1) return true;
    bucket.tokens--;
    return false;
  };

  /** The key under which the event is counted, and the message it has then. */
  const aggregate = (group: string, message: string): { key: string; message: string } => {
    const now = clock.now();
    const known = similar.get(group);
    const record = known && now - known.lastMs <= similarMs ? known : { messages: new Set<string>(), lastMs: now };
    record.lastMs = now;
    record.messages.add(message);
    similar.set(group, record);
    if (record.messages.size < similarEventsMax) return { key: `${group}\n${message}`, message };
    // One message is not stored, so that the set does not grow with every further one.
    for (const first of record.messages) {
      record.messages.delete(first);
      break;
    }
    return { key: group, message: `(combined from similar events): ${message}` };
  };

  return {
    correlate({ component, host, involved, type, reason, message }) {
      const { resourceVersion: _version, fieldPath = "", ...object } = involved;
      const about = JSON.stringify([component, host, object]);
      const { key, message: shown } = aggregate(JSON.stringify([about, fieldPath, type, reason]), message);
      const entry = observed.get(key) ?? { name: "", count: 0, firstTimestampMs: clock.now() };
      entry.count++;
      observed.set(key, entry);
      if (isSpam(about)) return { action: "drop" };
      const { name, count, firstTimestampMs } = entry;
      const counted = { key, message: shown, count, firstTimestampMs };
      return name === "" ? { action: "create", ...counted } : { action: "count", name, ...counted };
    },
    written(key, name) {
      const known = observed.get(key);
      if (known !== undefined) known.name = name;
    },
  };
}

interface Memory<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** A map that drops the least recently used entry. */
function createMemory<V>(): Memory<V> {
  const values = new Map<string, V>();
  return {
    get: (key) => values.get(key),
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      if (values.size <= eventMemoryMax) return;
      for (const oldest of values.keys()) {
        values.delete(oldest);
        return;
      }
    },
  };
}
