/** The end of a pod that has been active for longer than its `activeDeadlineSeconds`. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { lookAgainMs } from "../../base/clock.ts";
import type { PodContext } from "./context.ts";
import { exactTime } from "./exact-times.ts";
import type { StagesNow } from "./stages-now.ts";

const deadlineExceeded = {
  phase: "Failed",
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
  exitCode: 137, // a signal ends the containers
} as const;

/** The time counts from the start of the pod on its node; a stage that ends the pod at the same time counts first. */
export function withDeadline(stages: StagesNow, { spec, status }: Pod, { times, nowMs }: PodContext): StagesNow {
  const seconds = spec?.activeDeadlineSeconds;
  if (seconds == null) return stages;
  const leftMs = exactTime(times, "pod", status?.startTime, nowMs) + seconds * 1_000 - nowMs;
  if (leftMs <= 0) return { ...stages, end: stages.end ?? deadlineExceeded };
  const nextInMs = lookAgainMs(leftMs, seconds * 1_000);
  return { ...stages, nextInMs: Math.min(nextInMs, stages.nextInMs ?? nextInMs) };
}
