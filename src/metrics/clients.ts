/** Metrics about requests that this process makes to a server, and about leader election. */

import { counter, exponential, gauge, histogram } from "./declare.ts";

export const clientRequests = counter(
  "rest_client_requests_total",
  ["code", "host", "method"],
  "Requests that were sent, by status code, host and method.",
);

export const clientDuration = histogram(
  "rest_client_request_duration_seconds",
  ["verb", "url"],
  exponential(0.001, 2, 10),
  "How long requests took until the answer began, in seconds, by verb and path. Names in paths are omitted.",
);

export const execCredentialTtl = gauge(
  "rest_client_exec_plugin_ttl_seconds",
  [],
  "How long the shortest-lived client certificate of a credential plugin remains valid, in seconds; +Inf if there is none.",
);

const minute = 60;
const day = 86_400;

export const execRotationAge = histogram(
  "rest_client_exec_plugin_certificate_rotation_age",
  [],
  [
    10 * minute,
    30 * minute,
    60 * minute,
    240 * minute,
    day,
    7 * day,
    30 * day,
    90 * day,
    180 * day,
    360 * day,
    1_440 * day,
  ],
  "How old client certificates of credential plugins were when they were replaced, in seconds.",
);

export const leaderStatus = gauge(
  "leader_election_master_status",
  ["name"],
  "1 while this process holds the Lease of that name, 0 while it does not.",
);
