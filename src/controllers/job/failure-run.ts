/** How long a Job of level 1.35 waits before it replaces a pod that has failed: longer with each failure since the last success. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { waitLeftMs } from "../../base/clock.ts";
import { secondsMs } from "../../machinery/values/integer.ts";
import { timeMs } from "../parts/pods/state.ts";

/** The first failed pod is replaced after this time, each further one after twice the time. */
const podBackoffMs = 10_000;
export const podBackoffMsMax = 600_000;

/** The failures of a job, or of one of its indexes, since its last success. */
export interface FailureRun {
  readonly count: number;
  /** When the last of them was. */
  readonly lastMs: number;
}

export const noFailures: FailureRun = { count: 0, lastMs: 0 };

/** `succeeded` and `failed`: pods that were not known to have ended before. */
export function failureRunAfter(before: FailureRun, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRun {
  const run = succeeded.length === 0 ? before : noFailures;
  const lastSuccessMs = latest(succeeded.map(finishedMs));
  const since = failed.map(finishedMs).filter((ms) => ms > lastSuccessMs);
  return since.length === 0 ? run : { count: run.count + since.length, lastMs: latest(since) };
}

const latest = (times: readonly number[]): number => times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

/** A clock that was set back does not keep a pod from being replaced. */
export function delayLeftMs({ count, lastMs }: FailureRun, nowMs: number): number {
  if (count === 0) return 0;
  return waitLeftMs(lastMs, Math.min(podBackoffMs * 2 ** (count - 1), podBackoffMsMax), nowMs);
}

/** When the containers of a pod ended, as far as its status tells. */
export function finishedMs({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => timeMs(state?.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((ms) => ms !== undefined)) return latest(ends);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const unready = ready?.status === "False" ? timeMs(ready.lastTransitionTime) : undefined;
  if (unready !== undefined) return unready;
  const deleted = timeMs(metadata.deletionTimestamp);
  if (deleted !== undefined) return deleted - secondsMs(metadata.deletionGracePeriodSeconds ?? 0);
  return timeMs(metadata.creationTimestamp) ?? 0;
}
