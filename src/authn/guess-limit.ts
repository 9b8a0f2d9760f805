/** Slows down guessing of short secrets: whoever fails too often waits, whatever they send next. */

import type { Clock } from "../base/clock.ts";
import { tooManyRequests } from "../machinery/status/status.ts";
import { bearerToken } from "./bearer.ts";
import { isBootstrapToken } from "./bootstrap-token.ts";
import type { AuthenticationOutcome, Authenticator } from "./contract.ts";

export interface GuessLimitOptions {
  readonly clock: Clock;
  /** Failures of one source within a minute before it is refused. */
  readonly failuresPerMinute: number;
}

/** Sources remembered at once; the one that failed longest ago is forgotten first. */
export const sourcesMax = 10_000;
const windowMs = 60_000;

/** Only bootstrap tokens are counted: their secrets are short enough to be guessed. */
export function withGuessLimit(authenticator: Authenticator, options: GuessLimitOptions): Authenticator {
  const { clock, failuresPerMinute } = options;
  const failures = new Map<string, { count: number; sinceMs: number }>();
  const count = (source: string, outcome: AuthenticationOutcome): AuthenticationOutcome => {
    if (outcome !== "rejected") return outcome;
    const now = clock.monotonic();
    const known = failures.get(source);
    const current = known !== undefined && now - known.sinceMs < windowMs ? known : { count: 0, sinceMs: now };
    failures.delete(source);
    failures.set(source, { ...current, count: current.count + 1 });
    if (failures.size > sourcesMax) failures.delete(failures.keys().next().value!);
    return outcome;
  };
  return {
    name: authenticator.name,
    authenticate(credentials) {
      const token = bearerToken(credentials);
      const source = credentials.remoteAddress;
      if (!source || token === undefined || !isBootstrapToken(token)) {
        return authenticator.authenticate(credentials);
      }
      const known = failures.get(source);
      const elapsedMs = known === undefined ? windowMs : clock.monotonic() - known.sinceMs;
      if (known !== undefined && elapsedMs < windowMs && known.count >= failuresPerMinute) {
        throw tooManyRequests("too many wrong bootstrap tokens", Math.ceil((windowMs - elapsedMs) / 1000));
      }
      const outcome = authenticator.authenticate(credentials);
      return outcome instanceof Promise ? outcome.then((settled) => count(source, settled)) : count(source, outcome);
    },
  };
}
