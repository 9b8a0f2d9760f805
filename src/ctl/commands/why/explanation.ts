/** What `why` says about an object: how it is, and the reasons below it. */

import type { Context } from "../../context.ts";
import { type Json, list, text } from "../../json.ts";

export interface Explanation {
  /** What follows the name of the object: "is not available: 0 of 3 replicas are". */
  readonly summary: string;
  /** The causes, the most important first. Lines about another line are indented further. */
  readonly lines: readonly string[];
  /** The same for objects with the same trouble, so that a workload tells it once; absent: the summary. */
  readonly trouble?: string;
}

/** One kind of objects that `why` knows. */
export interface Explainer {
  readonly kind: string;
  /** As orch writes it: "networking.orch.io". */
  readonly group: string;
  /** For an object that is not being deleted. */
  readonly explain: (context: Context, object: Json) => Promise<Explanation>;
}

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** "Reason: message" of the conditions for which `isTrouble` holds. */
export function conditionLines(object: Json, isTrouble: (condition: Json) => boolean): string[] {
  return list(object, "status", "conditions").filter(isTrouble).map(conditionLine);
}

export function conditionLine(condition: Json): string {
  const [type, reason, message] = ["type", "reason", "message"].map((key) => text(condition, key).trim());
  const state = `${type} is ${text(condition, "status")}`;
  return [`${state}${reason === "" ? "" : ` (${reason})`}`, message].filter(Boolean).join(": ");
}

/** "3m20s" between a time and now; "": there is no time. */
export function since(context: Context, time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? "" : duration(context.environment.clock.now() - at);
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
