/** What is measured about the store and about the cache of its objects. */

import type { Clock } from "../base/clock.ts";
import { Histogram, labelKey, type Metric, type MetricDeclaration, Reading, type Series } from "../base/metrics.ts";
import type { Kv } from "../kv/contract.ts";
import type { Family } from "../machinery/schema/catalog.ts";
import { cacheBytes, objectCounts, storageObjects, storeRequestDuration, storeSize } from "../metrics/storage.ts";
import type { WatchCache } from "./cache/watch-cache.ts";

type StoreOperation = "get" | "list" | "create" | "update" | "delete";

/** Notes how long requests to the store took. */
export class StoreDurations {
  readonly metric = new Histogram(storeRequestDuration);
  readonly #clock: Clock;
  /** By the family; those of no family are in the second. */
  readonly #ofFamilies = new WeakMap<Family, Map<StoreOperation, Series>>();
  readonly #ofNone = new Map<StoreOperation, Series>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For `note`. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** A request that began at `beganMs` has ended. `family` undefined: it is not about one resource. */
  note(operation: StoreOperation, family: Family | undefined, beganMs: number): void {
    this.metric.observe(this.#seriesOf(operation, family), (this.#clock.monotonic() - beganMs) / 1_000);
  }

  /** A request that failed counts as well. */
  async measure<T>(operation: StoreOperation, family: Family | undefined, request: Promise<T>): Promise<T> {
    const beganMs = this.now();
    try {
      return await request;
    } finally {
      this.note(operation, family, beganMs);
    }
  }

  /** Removes the series of a family whose kinds were removed. */
  forget(family: Family): void {
    this.metric.remove({ type: resourceOf(family) });
  }

  #seriesOf(operation: StoreOperation, family: Family | undefined): Series {
    const known = family === undefined ? this.#ofNone : this.#ofFamily(family);
    let series = known.get(operation);
    if (series === undefined) {
      const type = family === undefined ? "*" : resourceOf(family);
      series = this.metric.series(this.metric.labelKey(operation, type));
      known.set(operation, series);
    }
    return series;
  }

  #ofFamily(family: Family): Map<StoreOperation, Series> {
    const known = this.#ofFamilies.get(family) ?? new Map<StoreOperation, Series>();
    this.#ofFamilies.set(family, known);
    return known;
  }
}

/** "deployments.apps", or "pods" of the core group. */
function resourceOf({ hub: { resource, group } }: Family): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function cacheMetrics(cache: WatchCache): readonly Metric[] {
  const read = (declaration: MetricDeclaration, of: (sizes: { objects: number; bytes: number }) => number) =>
    new Reading(declaration, () =>
      [...cache.collections].map((collection) => {
        const { live, bytes, family } = collection;
        const key = labelKey(declaration.labels, [resourceOf(family)]);
        return [key, of({ objects: live.entries.size, bytes })] as const;
      }),
    );
  return [
    read(storageObjects, ({ objects }) => objects),
    read(objectCounts, ({ objects }) => objects),
    read(cacheBytes, ({ bytes }) => bytes),
  ];
}

/**
 * Measured when metrics are read, at most once in `pollMs`. A store that does not know its size has no series. 0: never
 * measured.
 */
export function storeSizeMetric(kv: Kv, clock: Clock, pollMs: number): Metric {
  const declaration = storeSize;
  let known: readonly (readonly [key: string, bytes: number])[] = [];
  const shown = new Reading(declaration, () => known);
  let askedMs = Number.NEGATIVE_INFINITY;
  return {
    declaration,
    async refresh() {
      if (kv.sizes === undefined || pollMs === 0 || clock.monotonic() - askedMs < pollMs) return;
      askedMs = clock.monotonic();
      const sizes = await kv.sizes();
      known = sizes.map(({ endpoint, bytes }) => [labelKey(declaration.labels, [endpoint]), bytes]);
    },
    text: (name, help) => shown.text(name, help),
  };
}
