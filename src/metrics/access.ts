/** Metrics about authentication and authorization. */

import { counter, exponential, gauge, histogram } from "./declare.ts";

export const authenticatedRequests = counter(
  "authenticated_user_requests",
  ["username"],
  "Authenticated requests by user; all but a few well-known names count as one.",
);

export const authenticationAttempts = counter(
  "authentication_attempts",
  ["result"],
  "Requests that were authenticated, by result: success, failure (a credential was refused) or error.",
);

export const authenticationDuration = histogram(
  "authentication_duration_seconds",
  ["result"],
  exponential(0.001, 2, 15),
  "How long authentication took, in seconds, by result.",
);

const hour = 3_600;
const day = 24 * hour;

export const certificateExpiration = histogram(
  "apiserver_client_certificate_expiration_seconds",
  [],
  [
    0,
    hour / 2,
    hour,
    2 * hour,
    6 * hour,
    12 * hour,
    day,
    2 * day,
    4 * day,
    7 * day,
    30 * day,
    90 * day,
    180 * day,
    360 * day,
  ],
  "How long the client certificates of requests remain valid, in seconds.",
);

export const tokenCacheActiveFetches = gauge(
  "authentication_token_cache_active_fetch_count",
  ["status"],
  "Tokens that are being verified (in_flight), and requests that wait for one of these (blocked).",
);

export const tokenCacheFetches = counter(
  "authentication_token_cache_fetch_total",
  ["status"],
  "Tokens that were verified because the result was not cached, by whether that worked: ok or error.",
);

export const tokenCacheRequests = counter(
  "authentication_token_cache_request_total",
  ["status"],
  "Tokens that were looked up in the cache: hit or miss.",
);

export const tokenCacheDuration = histogram(
  "authentication_token_cache_request_duration_seconds",
  ["status"],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  "How long looking up a token took, in seconds, its verification included: hit or miss.",
);

export const authenticationReloads = counter(
  "apiserver_authentication_config_controller_automatic_reloads_total",
  ["status"],
  "Changed files of --authentication-config: success, or failure if the previous one stayed in effect.",
);

export const authorizationReloads = counter(
  "apiserver_authorization_config_controller_automatic_reloads_total",
  ["status"],
  "Changed files of --authorization-config: success, or failure if the previous one stayed in effect.",
);

export const legacyTokens = counter(
  "serviceaccount_legacy_tokens_total",
  [],
  "Requests with a service account token that is kept in a Secret.",
);

export const validTokens = counter(
  "serviceaccount_valid_tokens_total",
  [],
  "Requests with a service account token that expires and is bound to an object.",
);

export const authorizationDuration = histogram(
  "orch_authorization_duration_seconds",
  ["authorizer", "decision"],
  [0.00001, 0.0001, 0.001, 0.01, 0.1, 0.5, 1, 5, 10],
  "How long each authorizer took for a decision, in seconds: allow, deny or none (no opinion).",
);
