/** Counts requests, watches and what filters do. Label values come from the catalog, never from what clients send. */

import { Counter, Histogram, labelKey, type Metric, Reading } from "../../base/metrics.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { createExposition } from "../../metrics/exposition.ts";
import { buildMetric, processMetrics } from "../../metrics/process-readings.ts";
import {
  currentInFlight,
  droppedRequests,
  filterDuration,
  registeredWatchers,
  requestedDeprecated,
  watchEventSizes,
  watchEvents,
} from "../../metrics/requests.ts";
import type { HandlerOptions } from "../contract/handler-options.ts";
import type { Call } from "../request/call.ts";
import { type AuthenticationMetrics, createAuthenticationMetrics } from "./authentication-metrics.ts";
import { createOpenApiMetrics, type OpenApiMetrics } from "./openapi-metrics.ts";
import { createRequestMetrics } from "./request-metrics.ts";

interface Slots {
  used: number;
}

export interface ServerMetrics {
  readonly inFlight: { readonly reading: Slots; readonly mutating: Slots };
  readonly authentication: AuthenticationMetrics;
  readonly openApi: OpenApiMetrics;
  /** A request that may stay open has begun; `answered` ends it. */
  began(call: Call): void;
  answered(call: Call, durationMs: number): void;
  dropped(isReading: boolean): void;
  /** The function that notes how long a filter took. */
  filter(name: string): (durationMs: number) => void;
  watchBegan(kind: BoundKind): void;
  watchEnded(kind: BoundKind): void;
  /** `count` events, encoded together in `bytes`. */
  watchEvents(kind: BoundKind, count: number, bytes: number): void;
  deprecatedRequested(kind: BoundKind, subresource: string): void;
  text(): Promise<string>;
  /** Metrics with a path of their own. */
  print(metrics: readonly Metric[]): Promise<string>;
}

export function createServerMetrics(options: HandlerOptions): ServerMetrics {
  const { catalog, version, metrics: more = [] } = options;
  const { vocabulary } = catalog.environment;
  const release = { major: Number(version.major), minor: Number(version.minor) };
  const print = options.printMetrics ?? createExposition({ nameOf: (name) => vocabulary.metric(name), release });
  const reading: Slots = { used: 0 };
  const mutating: Slots = { used: 0 };
  const requests = createRequestMetrics(catalog);
  const authentication = createAuthenticationMetrics(vocabulary);
  const openApi = createOpenApiMetrics();
  const watchers = new Counter(registeredWatchers);
  const events = new Counter(watchEvents);
  const sizes = new Histogram(watchEventSizes);
  const deprecated = new Counter(requestedDeprecated);
  const droppedTotal = new Counter(droppedRequests);
  const filters = new Histogram(filterDuration);
  const [readOnlyKey, mutatingKey] = [droppedTotal.labelKey("readOnly"), droppedTotal.labelKey("mutating")];
  const inFlight = new Reading(currentInFlight, () => [
    [readOnlyKey, reading.used],
    [mutatingKey, mutating.used],
  ]);
  const all: readonly Metric[] = [
    ...requests.all,
    watchers,
    events,
    sizes,
    deprecated,
    inFlight,
    droppedTotal,
    filters,
    ...authentication.all,
    ...openApi.all,
    buildMetric(version),
    ...(options.processMetrics === false ? [] : processMetrics),
    ...more,
  ];
  catalog.onChange(({ gone }) => {
    for (const { group, version, kind, resource } of gone) {
      for (const metric of [watchers, events, sizes]) metric.remove({ group, version, kind });
      deprecated.remove({ group, version, resource });
    }
  });
  const watchesOf = cachedByKind((kind) => {
    const key = labelKey(registeredWatchers.labels, [kind.group, kind.version, kind.kind]);
    return { open: watchers.cell(key), events: events.cell(key), sizes: sizes.series(key) };
  });

  return {
    inFlight: { reading, mutating },
    authentication,
    openApi,
    began: requests.began,
    answered: requests.answered,
    dropped: (isReading) => droppedTotal.add(isReading ? readOnlyKey : mutatingKey),
    filter(name) {
      const series = filters.series(filters.labelKey(name));
      return (durationMs) => filters.observe(series, durationMs / 1_000);
    },
    watchBegan: (kind) => void watchesOf(kind).open.value++,
    watchEnded: (kind) => void watchesOf(kind).open.value--,
    watchEvents(kind, count, bytes) {
      const of = watchesOf(kind);
      of.events.value += count;
      if (count > 0) sizes.observe(of.sizes, bytes / count, count);
    },
    deprecatedRequested(kind, subresource) {
      const { removed = "" } = kind.declaration.deprecated ?? {};
      deprecated.set(deprecated.labelKey(kind.group, kind.version, kind.resource, subresource, removed), 1);
    },
    text: () => print(all),
    print,
  };
}

function cachedByKind<T>(make: (kind: BoundKind) => T): (kind: BoundKind) => T {
  const made = new WeakMap<BoundKind, T>();
  return (kind) => {
    let found = made.get(kind);
    if (found === undefined) {
      found = make(kind);
      made.set(kind, found);
    }
    return found;
  };
}
