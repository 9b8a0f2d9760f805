/** A bucket of tokens that fills at a steady rate: lets `burst` through at once, and `perSecond` in the long run. */

export interface TokenBucket {
  /** Takes one token; false: the bucket is empty now. */
  take(nowMs: number): boolean;
  /** Takes one token, if need be one that is still to come; returns after how many milliseconds it is there. */
  reserve(nowMs: number): number;
}

export function createTokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  startMs: number,
): TokenBucket {
  let tokens = burst;
  let filledMs = startMs;
  const fill = (nowMs: number) => {
    // A clock that was set back does not add tokens.
    const passedMs = Math.max(0, nowMs - filledMs);
    filledMs = nowMs;
    tokens = Math.min(burst, tokens + (passedMs * perSecond) / 1_000);
  };
  return {
    take(nowMs) {
      fill(nowMs);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    reserve(nowMs) {
      fill(nowMs);
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens * 1_000) / perSecond;
    },
  };
}
