/** What /metrics says about encryption at rest, under the names of v1.21; those about the file are of later releases. */

import type { Clock } from "../base/clock.ts";
import { Counter, Histogram, type Metric } from "../base/metrics.ts";

/** From five microseconds to minutes: AES takes the first, a KMS far away the last. */
const transformationSeconds = Array.from({ length: 25 }, (_, power) => 5e-6 * 2 ** power);
const generationSeconds = transformationSeconds.slice(0, 14);

export type Direction = "to_storage" | "from_storage";

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
  const operations = new Counter(
    "apiserver_storage_transformation_operations_total",
    "Values that were encrypted or decrypted, by the prefix of the provider and the outcome.",
    ["status", "transformation_type", "transformer_prefix"],
  );
  const durations = new Histogram(
    "apiserver_storage_transformation_duration_seconds",
    "How long it took to encrypt or decrypt a value.",
    ["transformation_type"],
    transformationSeconds,
  );
  const generations = new Histogram(
    "apiserver_storage_data_key_generation_duration_seconds",
    "How long it took to generate the data key of a value.",
    [],
    generationSeconds,
  );
  const failures = new Counter(
    "apiserver_storage_data_key_generation_failures_total",
    "Data keys that could not be generated.",
  );
  const misses = new Counter(
    "apiserver_storage_envelope_transformation_cache_misses_total",
    "Data keys that were not remembered, so that the KMS had to decrypt them.",
  );
  const fill = new Counter(
    "apiserver_envelope_encryption_dek_cache_fill_percent",
    "How full the memory for data keys is, between 0 and 1.",
    [],
    "gauge",
  );
  const successes = new Counter(
    "apiserver_encryption_config_controller_automatic_reload_success_total",
    "Changed encryption configurations that were taken over.",
  );
  const refusals = new Counter(
    "apiserver_encryption_config_controller_automatic_reload_failures_total",
    "Changed encryption configurations that could not be used; the previous one stayed.",
  );
  for (const counter of [failures, misses, successes, refusals]) counter.add("", 0);
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
