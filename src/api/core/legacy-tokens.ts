/** How the use of tokens that are kept in Secrets is recorded, with neutral names: labels of the Secret, and since when uses are recorded. */

import { timeText } from "../../machinery/values/time.ts";

/** The day of the last request with the token. */
export const lastUsedLabel = "orch.io/legacy-token-last-used";
/** Since this day the token is refused. */
export const invalidSinceLabel = "orch.io/legacy-token-invalid-since";
/** The ConfigMap of the system namespace that says since which day uses are recorded, and its key. */
export const trackingName = "orch-apiserver-legacy-service-account-token-tracking";
export const trackingKey = "since";

/** The day in UTC: "2026-01-31". */
export const dayOf = (ms: number): string => timeText(ms).slice(0, "2026-01-31".length);

/** The beginning of the day; undefined: the text is not a day. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || dayOf(ms) !== text ? undefined : ms;
}
