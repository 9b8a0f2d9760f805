/** A bucket of tokens that fills at a steady rate: lets `burst` through at once, and `perSecond` in the long run. */

export interface TokenBucket {
  /** Takes one token; false: the bucket is empty now. */
  take(nowMs: number): boolean;
}

export function createTokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  startMs: number,
): TokenBucket {
  let tokens = burst;
  let filledMs = startMs;
  return {
    take(nowMs) {
      // A clock that was set back does not add tokens.
      const passedMs = Math.max(0, nowMs - filledMs);
      filledMs = nowMs;
      tokens = Math.min(burst, tokens + (passedMs * perSecond) / 1_000);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
