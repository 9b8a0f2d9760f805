/** The conditions of an object over time: what the object says, and what was seen while its page was open. */

import { type Json, parts, text } from "../server/json.ts";

export interface ConditionSpan {
  readonly status: string;
  /** 0: the object does not say. */
  readonly sinceMs: number;
}

export interface ConditionTimeline {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** In order; the last one is how it is now. An object tells only that one; those before it were seen. */
  readonly spans: readonly ConditionSpan[];
}

/** Older spans of a condition are forgotten. */
export const spansMax = 50;

/** The timelines after the object has changed; the latest change first. */
export function timelinesOf(object: Json, before: readonly ConditionTimeline[]): readonly ConditionTimeline[] {
  const timelines = parts(object, "status", "conditions").map((condition) => {
    const type = text(condition, "type");
    const time = text(condition, "lastTransitionTime") || text(condition, "lastUpdateTime");
    const now = { status: text(condition, "status"), sinceMs: Date.parse(time) || 0 };
    const seen = before.find((one) => one.type === type)?.spans ?? [];
    const last = seen.at(-1);
    const isSame = last?.status === now.status && last.sinceMs === now.sinceMs;
    return {
      type,
      reason: text(condition, "reason"),
      message: text(condition, "message"),
      spans: isSame ? seen : [...seen, now].slice(-spansMax),
    };
  });
  const since = ({ spans }: ConditionTimeline) => spans.at(-1)?.sinceMs ?? 0;
  return timelines.sort((a, b) => since(b) - since(a));
}

interface Bar {
  readonly status: string;
  /** Between 0 and 1. */
  readonly from: number;
  readonly to: number;
}

/** Where the spans are between two times. */
export function barsOf(spans: readonly ConditionSpan[], startMs: number, endMs: number): Bar[] {
  const length = Math.max(endMs - startMs, 1);
  const place = (ms: number) => Math.min(Math.max((ms - startMs) / length, 0), 1);
  return spans.map(({ status, sinceMs }, at) => ({
    status,
    from: place(sinceMs),
    to: place(spans[at + 1]?.sinceMs ?? endMs),
  }));
}
