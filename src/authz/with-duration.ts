/** Measures how long each authorizer takes for its decisions. */

import type { Clock } from "../base/clock.ts";
import { Histogram, type Series } from "../base/metrics.ts";
import { authorizationDuration } from "../metrics/access.ts";
import type { Authorizer, Decision } from "./contract.ts";

interface AuthorizerDurations {
  readonly metric: Histogram;
  /** Measures the authorizer under `name`. */
  measured(name: string, authorizer: Authorizer): Authorizer;
}

export function createAuthorizerDurations(clock: Clock): AuthorizerDurations {
  const metric = new Histogram(authorizationDuration);
  return {
    metric,
    measured(name, authorizer) {
      const series = new Map<Decision["outcome"], Series>();
      const seriesOf = (outcome: Decision["outcome"]) => {
        let found = series.get(outcome);
        if (found === undefined) {
          found = metric.series(metric.labelKey(name, outcome));
          series.set(outcome, found);
        }
        return found;
      };
      const note = (decision: Decision, beganMs: number) => {
        metric.observe(seriesOf(decision.outcome), (clock.monotonic() - beganMs) / 1_000);
        return decision;
      };
      return {
        ...authorizer,
        authorize(attributes) {
          const beganMs = clock.monotonic();
          const decision = authorizer.authorize(attributes);
          if (decision instanceof Promise) return decision.then((settled) => note(settled, beganMs));
          return note(decision, beganMs);
        },
      };
    },
  };
}
