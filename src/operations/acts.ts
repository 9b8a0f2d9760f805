/** Acts that are one change of an object, as merge patches. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** Null removes a member. */
type MergePatch = Readonly<Record<string, unknown>>;

/** The pods of a workload are made again, because their template differs from the one before by the time. */
export function restartPatch(vocabulary: Pick<Vocabulary, "word">, nowMs: number): MergePatch {
  const restartedAt = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const annotations = { [vocabulary.word("ctl.orch.io/restartedAt")]: restartedAt };
  return { spec: { template: { metadata: { annotations } } } };
}

/** A deployment that is paused does not roll out changes of its template. */
export const pausePatch = (isPaused: boolean): MergePatch => ({ spec: { paused: isPaused ? true : null } });

/** A job or cron job that is suspended starts nothing. */
export const suspendPatch = (isSuspended: boolean): MergePatch => ({ spec: { suspend: isSuspended } });

/** A node that is cordoned gets no new pods. */
export const cordonPatch = (isCordoned: boolean): MergePatch => ({ spec: { unschedulable: isCordoned ? true : null } });
