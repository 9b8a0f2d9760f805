/** What is counted of encryption at rest. */

import type { Clock } from "../base/clock.ts";
import { Counter, Histogram, type Metric } from "../base/metrics.ts";
import {
  configurationRefusals,
  configurationReloads,
  dataKeyCacheFill,
  dataKeyCacheMisses,
  dataKeyDuration,
  dataKeyFailures,
  transformationDuration,
  transformations,
} from "../metrics/encryption.ts";

type Direction = "to_storage" | "from_storage";

export interface EncryptionMetrics {
  readonly metrics: readonly Metric[];
  now(): number;
  /** `prefix`: of the provider; "unknown": none was found. */
  transformed(direction: Direction, prefix: string, sinceMs: number, isDone: boolean): void;
  generateKey<Key>(generate: () => Key): Key;
  cacheMiss(): void;
  /** Between 0 and 1. */
  cacheFill(fraction: number): void;
  reloaded(isDone: boolean): void;
}

export function createEncryptionMetrics(clock: Clock): EncryptionMetrics {
  const operations = new Counter(transformations);
  const durations = new Histogram(transformationDuration);
  const generations = new Histogram(dataKeyDuration);
  const failures = new Counter(dataKeyFailures);
  const misses = new Counter(dataKeyCacheMisses);
  const fill = new Counter(dataKeyCacheFill);
  const successes = new Counter(configurationReloads);
  const refusals = new Counter(configurationRefusals);
  const seconds = (sinceMs: number): number => (clock.monotonic() - sinceMs) / 1_000;
  return {
    metrics: [operations, durations, generations, failures, misses, fill, successes, refusals],
    now: () => clock.monotonic(),
    transformed(direction, prefix, sinceMs, isDone) {
      operations.add(operations.labelKey(isDone ? "OK" : "Unknown", direction, prefix));
      durations.observe(durations.series(durations.labelKey(direction)), seconds(sinceMs));
    },
    generateKey(generate) {
      const since = clock.monotonic();
      try {
        const key = generate();
        generations.observe(generations.series(""), seconds(since));
        return key;
      } catch (error) {
        failures.add("");
        throw error;
      }
    },
    cacheMiss: () => misses.add(""),
    cacheFill: (fraction) => fill.set("", fraction),
    reloaded: (isDone) => (isDone ? successes : refusals).add(""),
  };
}
