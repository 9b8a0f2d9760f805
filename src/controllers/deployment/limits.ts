/** The limits of a rollout, and other numbers of the spec of a Deployment. */

import type { Deployment } from "../../api/apps/v1/deployment.ts";
import { scaledValue } from "../../machinery/values/integer.ts";

const none = 2 ** 31 - 1;

export const wanted = (deployment: Deployment): number => deployment.spec?.replicas ?? 1;

export const isRollingUpdate = (deployment: Deployment): boolean =>
  (deployment.spec?.strategy?.type ?? "RollingUpdate") === "RollingUpdate";

/** Undefined: a rollout has no deadline. */
export function progressDeadlineMs(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === none ? undefined : seconds * 1000;
}

/** Undefined: all old replica sets are kept. */
export function historyLimit(deployment: Deployment): number | undefined {
  const limit = deployment.spec?.revisionHistoryLimit;
  return limit === none ? undefined : limit;
}

/** Pods beyond the desired number. */
export const maxSurge = (deployment: Deployment): number =>
  isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;

/** Pods that may be missing from the desired number. */
export function maxUnavailable(deployment: Deployment): number {
  if (!isRollingUpdate(deployment) || wanted(deployment) === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, wanted(deployment));
}

/** With both at zero a rollout could never progress, so one pod may be missing then. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted(deployment), "up");
  const unavailable = scaledValue(maxUnavailable, wanted(deployment), "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
