/** What is counted about credentials, under the names of v1.21. */

import { Counter, Histogram, type Metric } from "../base/metrics.ts";
import {
  authenticationReloads,
  authorizationReloads,
  certificateExpiration,
  legacyTokens,
  tokenCacheActiveFetches,
  tokenCacheDuration,
  tokenCacheFetches,
  tokenCacheRequests,
  validTokens,
} from "../metrics/access.ts";

export interface CredentialMetrics {
  readonly all: readonly Metric[];
  readonly tokenCache: TokenCacheMetrics;
  /** A request was authenticated by a certificate that stays valid for `seconds`. */
  certificate(seconds: number): void;
  /** A request was authenticated by a service account token: one that is kept in a Secret, or one that expires. */
  accountToken(type: "legacy" | "bound"): void;
  /** A configuration file has changed while the server runs. */
  reload(of: "authentication" | "authorization", status: "success" | "failure"): void;
}

export interface TokenCacheMetrics {
  hit(durationMs: number): void;
  /** The token is being verified; the returned function notes the end. */
  miss(): (durationMs: number, isOk: boolean) => void;
  /**
   * A request that waits for the verification of the same token by another one; the returned function records the end.
   */
  join(): (durationMs: number) => void;
}

export function createCredentialMetrics(): CredentialMetrics {
  const expiration = new Histogram(certificateExpiration);
  const legacy = new Counter(legacyTokens);
  const valid = new Counter(validTokens);
  const reloads = {
    authentication: new Counter(authenticationReloads),
    authorization: new Counter(authorizationReloads),
  };
  const cache = createTokenCacheMetrics();
  return {
    all: [expiration, legacy, valid, ...Object.values(reloads), ...cache.all],
    tokenCache: cache.tokenCache,
    certificate: (seconds) => expiration.observe(expiration.series(), seconds),
    accountToken: (type) => (type === "legacy" ? legacy : valid).add(),
    reload: (of, status) => reloads[of].add(reloads[of].labelKey(status)),
  };
}

function createTokenCacheMetrics(): { readonly all: readonly Metric[]; readonly tokenCache: TokenCacheMetrics } {
  const active = new Counter(tokenCacheActiveFetches);
  const fetches = new Counter(tokenCacheFetches);
  const requests = new Counter(tokenCacheRequests);
  const duration = new Histogram(tokenCacheDuration);
  const inFlight = active.cell(active.labelKey("in_flight"));
  const blocked = active.cell(active.labelKey("blocked"));
  const fetched = { true: fetches.cell(fetches.labelKey("ok")), false: fetches.cell(fetches.labelKey("error")) };
  const of = (status: string) => ({
    requests: requests.cell(requests.labelKey(status)),
    duration: duration.series(duration.labelKey(status)),
  });
  const [hits, misses] = [of("hit"), of("miss")];
  const note = (counts: typeof hits, durationMs: number) => {
    counts.requests.value++;
    duration.observe(counts.duration, durationMs / 1_000);
  };
  return {
    all: [active, fetches, requests, duration],
    tokenCache: {
      hit: (durationMs) => note(hits, durationMs),
      miss() {
        inFlight.value++;
        return (durationMs, isOk) => {
          inFlight.value--;
          fetched[`${isOk}`].value++;
          note(misses, durationMs);
        };
      },
      join() {
        blocked.value++;
        return (durationMs) => {
          blocked.value--;
          note(misses, durationMs);
        };
      },
    },
  };
}
