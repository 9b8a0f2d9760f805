/** Metrics about requests. Label values come from the catalog, never from what clients send. */

import type { Cell, Series } from "../../base/metrics.ts";
import { Counter, Histogram, labelKey, Reading } from "../../base/metrics.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Call } from "../call.ts";
import type { HandlerOptions } from "../contract/handler-options.ts";
import { processMetrics } from "./process-metrics.ts";

export interface Slots {
  used: number;
}

export interface ServerMetrics {
  readonly inFlight: { readonly reading: Slots; readonly mutating: Slots };
  answered(call: Call, durationMs: number): void;
  watchBegan(kind: BoundKind): void;
  watchEnded(kind: BoundKind): void;
  watchEvents(kind: BoundKind, count: number): void;
  deprecatedRequested(kind: BoundKind, subresource: string): void;
  text(): string;
}

const requestLabels = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"];
const durationBounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60,
];
const knownVerbs: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["update", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
  ["post", "POST"],
  ["put", "PUT"],
]);

export function createServerMetrics({ catalog, version, metrics: more = [] }: HandlerOptions): ServerMetrics {
  const reading: Slots = { used: 0 };
  const mutating: Slots = { used: 0 };
  const total = new Counter("apiserver_request_total", "Requests answered, by verb, resource and status code.", [
    ...requestLabels,
    "code",
  ]);
  const duration = new Histogram(
    "apiserver_request_duration_seconds",
    "How long requests took; watches do not count.",
    requestLabels,
    durationBounds,
  );
  const kindLabels = ["group", "version", "kind"];
  const watchers = new Counter("apiserver_registered_watchers", "Watches under way.", kindLabels, "gauge");
  const events = new Counter("apiserver_watch_events_total", "Events sent to watchers.", kindLabels);
  const deprecated = new Counter(
    "apiserver_requested_deprecated_apis",
    "Versions that go away and have been asked for.",
    ["group", "version", "resource", "subresource", "removed_release"],
    "gauge",
  );
  const inFlight = new Reading("apiserver_current_inflight_requests", "Requests under way.", "gauge", () => [
    [labelKey(["request_kind"], ["readOnly"]), reading.used],
    [labelKey(["request_kind"], ["mutating"]), mutating.used],
  ]);
  const build = new Reading(`${catalog.environment.vocabulary.name}_build_info`, "What is running.", "gauge", () => [
    [labelKey(["git_version", "platform"], [version.gitVersion, version.platform]), 1],
  ]);
  const all = [total, duration, watchers, events, deprecated, inFlight, build, ...processMetrics, ...more];
  const keys = new WeakMap<BoundKind, string>();
  const keyOf = (kind: BoundKind) => {
    let key = keys.get(kind);
    if (key === undefined) {
      key = watchers.labelKey(kind.group, kind.version, kind.kind);
      keys.set(kind, key);
    }
    return key;
  };
  const countsOf = createRequestCounts(duration);

  return {
    inFlight: { reading, mutating },
    answered(call, durationMs) {
      const counts = countsOf(call);
      const { status } = call.exchange;
      let cell = counts.byCode.get(status);
      if (cell === undefined) {
        cell = total.cell(`${counts.key},code="${status}"`);
        counts.byCode.set(status, cell);
      }
      cell.value++;
      if (!call.isLongRunning) duration.observe(counts.duration, durationMs / 1_000);
    },
    watchBegan: (kind) => watchers.add(keyOf(kind)),
    watchEnded: (kind) => watchers.add(keyOf(kind), -1),
    watchEvents: (kind, count) => events.add(keyOf(kind), count),
    deprecatedRequested(kind, subresource) {
      const { removed = "" } = kind.declaration.deprecated ?? {};
      deprecated.set(deprecated.labelKey(kind.group, kind.version, kind.resource, subresource, removed), 1);
    },
    text: () => all.map((metric) => metric.text()).join(""),
  };
}

/** The metrics with the labels of one sort of request. */
interface RequestCounts {
  readonly key: string;
  readonly byCode: Map<number, Cell>;
  readonly duration: Series;
}

/** Cached, so that labels are not built again: the same few combinations occur over and over. */
function createRequestCounts(duration: Histogram): (call: Call) => RequestCounts {
  const byKind = new WeakMap<BoundKind, Map<string, RequestCounts>>();
  const others = new Map<string, RequestCounts>();
  const make = (...values: string[]): RequestCounts => {
    const key = labelKey(requestLabels, [...values, "apiserver"]);
    return { key, byCode: new Map(), duration: duration.series(key) };
  };
  return ({ info, kind }) => {
    const verb = knownVerbs.get(info.verb) ?? "other";
    const dryRun = !info.query.empty && info.query.get("dryRun") === "All" ? "All" : "";
    if (kind === undefined) return remembered(others, verb + dryRun, () => make(verb, dryRun, "", "", "", "", ""));
    let counts = byKind.get(kind);
    if (counts === undefined) {
      counts = new Map();
      byKind.set(kind, counts);
    }
    const subresource = kind.subresources.has(info.subresource) ? info.subresource : "";
    const scope = info.named ? "resource" : info.underNamespace ? "namespace" : "cluster";
    return remembered(counts, verb + scope + subresource + dryRun, () =>
      make(verb, dryRun, kind.group, kind.version, kind.resource, subresource, scope),
    );
  };
}

function remembered<T>(table: Map<string, T>, name: string, make: () => T): T {
  let found = table.get(name);
  if (found === undefined) {
    found = make();
    table.set(name, found);
  }
  return found;
}
