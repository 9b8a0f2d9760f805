/** Metrics about requests to the API server. Label values come from the catalog, never from what clients send. */

import { counter, exponential, gauge, histogram } from "./declare.ts";

const target = ["verb", "group", "version", "resource", "subresource", "scope", "component"];
const targetWithDryRun = ["verb", "dry_run", ...target.slice(1)];

export const requestTotal = counter(
  "apiserver_request_total",
  [...targetWithDryRun, "code"],
  "Requests that were answered, by verb, resource and status code.",
  { stability: "STABLE" },
);

const requestBuckets = [
  0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export const requestDuration = histogram(
  "apiserver_request_duration_seconds",
  targetWithDryRun,
  requestBuckets,
  "How long requests took, in seconds. Watches and connections are not included.",
  { stability: "STABLE" },
);

export const responseSizes = histogram(
  "apiserver_response_sizes",
  target,
  exponential(1_000, 10, 7),
  "Sizes of the answers to get and list requests, in bytes as sent.",
);

export const longRunning = gauge(
  "apiserver_longrunning_gauge",
  target,
  "Open watches and connections, by verb and resource.",
);

export const currentInFlight = gauge(
  "apiserver_current_inflight_requests",
  ["request_kind"],
  "Requests that count against the limits of reading and changing requests.",
);

export const droppedRequests = counter(
  "apiserver_dropped_requests_total",
  ["request_kind"],
  "Requests that were refused because too many were in flight.",
);

export const selfRequests = counter(
  "apiserver_selfrequest_total",
  ["verb", "resource", "subresource"],
  "Requests that this process made to itself without a socket, its own controllers included.",
);

export const filterDuration = histogram(
  "apiserver_request_filter_duration_seconds",
  ["filter"],
  [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5],
  "How long filters took before a request reached its handler, in seconds.",
);

export const requestedDeprecated = gauge(
  "apiserver_requested_deprecated_apis",
  ["group", "version", "resource", "subresource", "removed_release"],
  "1 for each deprecated version that a client has requested since the start, with the release that removes it.",
);

export const tlsHandshakeErrors = counter(
  "apiserver_tls_handshake_errors_total",
  [],
  "TLS handshakes of clients that failed.",
);

const kind = ["group", "version", "kind"];

export const registeredWatchers = gauge("apiserver_registered_watchers", kind, "Watches that are open, by kind.");

export const watchEvents = counter("apiserver_watch_events_total", kind, "Events that were sent to watchers.");

export const watchEventSizes = histogram(
  "apiserver_watch_events_sizes",
  kind,
  exponential(1_024, 2, 8),
  "Sizes of the events that were sent to watchers, in bytes. Events that are sent together count with their mean.",
);
