/** Counts authentications: by result, and by user where the name is one of a few. */

import { Counter, Histogram, type Metric } from "../../base/metrics.ts";
import { authenticatedRequests, authenticationAttempts, authenticationDuration } from "../../metrics/access.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

type AuthenticationResult = "success" | "failure" | "error";

export interface AuthenticationMetrics {
  readonly all: readonly Metric[];
  /** `userName`: of a success. */
  attempted(result: AuthenticationResult, durationMs: number, userName?: string): void;
}

export function createAuthenticationMetrics(vocabulary: Vocabulary): AuthenticationMetrics {
  const users = new Counter(authenticatedRequests);
  const attempts = new Counter(authenticationAttempts);
  const duration = new Histogram(authenticationDuration);
  const known = new Set(["admin", "client", vocabulary.word(`system:serviceaccount:orch-system:default`)]);
  const cells = new Map<string, { value: number }>();
  const cellOf = (name: string) => {
    let cell = cells.get(name);
    if (cell === undefined) {
      cell = users.cell(users.labelKey(name));
      cells.set(name, cell);
    }
    return cell;
  };
  const of = (result: AuthenticationResult) => ({
    attempts: attempts.cell(attempts.labelKey(result)),
    duration: duration.series(duration.labelKey(result)),
  });
  const results: Partial<Record<AuthenticationResult, ReturnType<typeof of>>> = {};
  return {
    all: [users, attempts, duration],
    attempted(result, durationMs, userName) {
      results[result] ??= of(result);
      const counts = results[result];
      counts.attempts.value++;
      duration.observe(counts.duration, durationMs / 1_000);
      if (userName === undefined) return;
      // As in v1.21: names of people must not become label values.
      cellOf(known.has(userName) ? userName : userName.includes("@") ? "email_id" : "other").value++;
    },
  };
}
