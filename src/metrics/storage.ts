/** Metrics about the store, and about the objects that are cached from it. */

import { gauge, histogram } from "./declare.ts";

export const storageObjects = gauge("apiserver_storage_objects", ["resource"], "Stored objects by resource.", {
  stability: "STABLE",
});

export const objectCounts = gauge(
  "kvstore_object_counts",
  ["resource"],
  "Stored objects by resource; apiserver_storage_objects replaces this metric.",
  { deprecated: "1.22.0" },
);

export const storeRequestDuration = histogram(
  "kvstore_request_duration_seconds",
  ["operation", "type"],
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 15, 30, 60],
  "How long requests to the store took, in seconds, by operation and resource.",
);

export const storeSize = gauge(
  "kvstore_db_total_size_in_bytes",
  ["endpoint"],
  "The size of the store, in bytes: its file, or the database of each etcd member.",
);

export const cacheBytes = gauge(
  "orch_mirror_bytes",
  ["resource"],
  "Bytes of the objects that are cached in memory, as JSON, by resource.",
);
