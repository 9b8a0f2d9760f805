/** Settings of a leader election under which two processes could lead at once, or none ever. */

import { isDns1123Label, isDns1123Subdomain } from "../../machinery/meta/names.ts";
import type { LeaderOptions } from "./leader.ts";

/** How much longer than the retry period an attempt may wait, so that processes do not try at the same moment. */
export const retryJitter = 1.2;

type Settings = Pick<LeaderOptions, "identity" | "lease" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs">;

/** Undefined: the settings are safe. The rules are those of clients in Go. */
export function leaderProblem({ identity, lease, ...times }: Settings): string | undefined {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  const [wrongName] = isDns1123Subdomain(lease.name);
  const [wrongNamespace] = isDns1123Label(lease.namespace);
  if (identity === "") return "the identity must not be empty: processes with the same one would lead at once";
  if (wrongName !== undefined) return `the name of the lease "${lease.name}" cannot be used: ${wrongName}`;
  if (wrongNamespace !== undefined)
    return `the namespace of the lease "${lease.namespace}" cannot be used: ${wrongNamespace}`;
  for (const [what, ms] of [
    ["lease duration", leaseDurationMs],
    ["renew deadline", renewDeadlineMs],
    ["retry period", retryPeriodMs],
  ] as const)
    if (!(Number.isFinite(ms) && ms > 0)) return `the ${what} must be longer than 0 ms, not ${ms}`;
  if (leaseDurationMs <= renewDeadlineMs)
    return `the lease duration (${leaseDurationMs} ms) must be longer than the renew deadline (${renewDeadlineMs} ms)`;
  if (renewDeadlineMs <= retryPeriodMs * retryJitter)
    return `the renew deadline (${renewDeadlineMs} ms) must be longer than ${retryJitter} times the retry period (${retryPeriodMs} ms)`;
  return undefined;
}
