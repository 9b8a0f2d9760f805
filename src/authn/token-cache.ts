/**
 * Caches the result of verifying a token for a short time. Keys are digests, so that the cache holds no token; its size
 * is bounded, and the least recently used entry is removed first.
 */

import type { Clock } from "../base/clock.ts";
import type { Digester } from "./digest.ts";
import type { TokenCacheMetrics } from "./metrics.ts";

export const cacheEntriesMax = 10_000;

interface TokenCache<T> {
  /** The cached result; undefined: there is none, or it has expired. */
  get(token: string): T | undefined;
  set(token: string, value: T, ttlMs: number): void;
  readonly size: number;
}

interface TokenCacheOptions {
  readonly clock: Clock;
  readonly digester: Digester;
  readonly entriesMax?: number;
  /** Absent: nothing is counted. */
  readonly metrics?: TokenCacheMetrics | undefined;
}

function createTokenCache<T>(options: TokenCacheOptions): TokenCache<T> {
  const { clock, digester, entriesMax = cacheEntriesMax } = options;
  const entries = new Map<string, { value: T; untilMs: number }>();
  return {
    get(token) {
      const key = digester.digest(token);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.untilMs <= clock.monotonic()) return undefined;
      entries.set(key, entry); // now the youngest
      return entry.value;
    },
    set(token, value, ttlMs) {
      if (ttlMs <= 0) return;
      const key = digester.digest(token);
      entries.delete(key);
      entries.set(key, { value, untilMs: clock.monotonic() + ttlMs });
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!);
    },
    get size() {
      return entries.size;
    },
  };
}

/** `load` is called once for all callers with the same token at the same time, and again when its result has expired. */
export function createLoadingTokenCache<T>(
  options: TokenCacheOptions & { readonly load: (token: string) => Promise<{ value: T; ttlMs: number }> },
): { get(token: string): T | Promise<T> } {
  const cache = createTokenCache<{ value: T }>(options);
  const { clock, metrics } = options;
  const pending = new Map<string, Promise<T>>();
  return {
    get(token) {
      const beganMs = clock.monotonic();
      const passedMs = () => clock.monotonic() - beganMs;
      const known = cache.get(token);
      if (known !== undefined) {
        metrics?.hit(passedMs());
        return known.value;
      }
      const key = options.digester.digest(token);
      const underWay = pending.get(key);
      if (underWay !== undefined) {
        const ended = metrics?.join();
        return underWay.finally(() => ended?.(passedMs()));
      }
      const ended = metrics?.miss();
      let isOk = false;
      const loading = options
        .load(token)
        .then(({ value, ttlMs }) => {
          cache.set(token, { value }, ttlMs);
          isOk = ttlMs > 0; // a result that must not be kept is a failure to find out
          return value;
        })
        .finally(() => {
          pending.delete(key);
          ended?.(passedMs(), isOk);
        });
      pending.set(key, loading);
      return loading;
    },
  };
}
