/** Metrics about encryption at rest, under the names of v1.21; those about the file are of later releases. */

import { counter, exponential, gauge, histogram } from "./declare.ts";

export const transformations = counter(
  "apiserver_storage_transformation_operations_total",
  ["status", "transformation_type", "transformer_prefix"],
  "Values that were encrypted or decrypted, by direction, prefix of the provider and outcome.",
);

export const transformationDuration = histogram(
  "apiserver_storage_transformation_duration_seconds",
  ["transformation_type"],
  // From five microseconds to minutes: AES takes the first, a KMS far away the last.
  exponential(5e-6, 2, 25),
  "How long it took to encrypt or decrypt a value, in seconds.",
);

export const dataKeyDuration = histogram(
  "apiserver_storage_data_key_generation_duration_seconds",
  [],
  exponential(5e-6, 2, 14),
  "How long it took to generate the data key of a value, in seconds.",
);

export const dataKeyFailures = counter(
  "apiserver_storage_data_key_generation_failures_total",
  [],
  "Data keys that could not be generated.",
);

export const dataKeyCacheMisses = counter(
  "apiserver_storage_envelope_transformation_cache_misses_total",
  [],
  "Data keys that were not cached, so that a KMS plugin had to decrypt them.",
);

export const dataKeyCacheFill = gauge(
  "apiserver_envelope_encryption_dek_cache_fill_percent",
  [],
  "How full the cache of data keys is, between 0 and 1.",
);

export const configurationReloads = counter(
  "apiserver_encryption_config_controller_automatic_reload_success_total",
  [],
  "Changed encryption configurations that were applied.",
);

export const configurationRefusals = counter(
  "apiserver_encryption_config_controller_automatic_reload_failures_total",
  [],
  "Changed encryption configurations that could not be used; the previous one stayed.",
);

export const unreadableObjects = gauge(
  "apiserver_storage_unreadable_objects",
  [],
  "Stored objects that are damaged, or cannot be decrypted with the present configuration.",
);
