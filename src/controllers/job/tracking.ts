/**
 * How every pod of a job is counted once, even if it is deleted soon after it has ended: a finalizer keeps the pod until the status
 * of the job has it. A pod is first listed in `uncountedTerminatedPods`, then it loses its finalizer, then the counts go up:
 *
 *   pod ends            succeeded: 2                    pod has the finalizer
 *   status is written   succeeded: 2, uncounted: [uid]  pod has the finalizer
 *   pod is released     succeeded: 2, uncounted: [uid]  -
 *   status is written   succeeded: 3                    -
 *
 * A controller that stops in between goes on from any of these lines.
 */

import type { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { isDeleting, isPodFinished } from "../parts/pods/state.ts";
import { patch, type Request } from "../plan.ts";

/** At most this many pods are counted in one pass, so that the lists of the status stay short. */
export const uncountedPodsMax = 500;

export interface JobTracking {
  readonly finalizer: string;
  /** Pods that were released; the cache may still show their finalizer. By uid. */
  readonly released: Set<string>;
}

const hasFinalizer = ({ metadata }: Pod, { finalizer }: JobTracking): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/** Whether the pod waits to be counted. */
export const isTracked = (pod: Pod, tracking: JobTracking): boolean =>
  hasFinalizer(pod, tracking) && !tracking.released.has(pod.metadata.uid ?? "");

/** Whether the status of the job does not know yet that the pod has ended. */
export function isNewlyEnded(job: Job, tracking: JobTracking): (pod: Pod) => boolean {
  const known = uncountedIn(job);
  return (pod) => {
    const { uid = "" } = pod.metadata;
    return isTracked(pod, tracking) && !known.succeeded.has(uid) && !known.failed.has(uid);
  };
}

/** By uid: pods that the status lists and that its counts do not have. */
export function uncountedIn({ status }: Job): { succeeded: ReadonlySet<string>; failed: ReadonlySet<string> } {
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  return { succeeded: new Set(succeeded), failed: new Set(failed) };
}

/** A pod that is being deleted may never reach a phase; where only failed pods are replaced, it has to. */
export function hasFailed(pod: Pod, { spec }: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return spec?.podReplacementPolicy !== "Failed" && isDeleting(pod) && pod.status?.phase !== "Succeeded";
}

/** Pods that have ended or, if the job `isOver`, all of them; those that the status lists already come first. */
export function releasable(
  job: Job,
  pods: readonly Pod[],
  tracking: JobTracking,
  { isOver }: { readonly isOver: boolean },
): readonly Pod[] {
  const isAll = isOver || isDeleting(job);
  const found = pods.filter((pod) => isTracked(pod, tracking) && (isAll || isPodFinished(pod) || hasFailed(pod, job)));
  const isNew = isNewlyEnded(job, tracking);
  return [...found.filter((pod) => !isNew(pod)), ...found.filter(isNew)];
}

/** The lists of the status while the pods are released. */
export function uncountedWith(
  job: Job,
  { succeeded, failed }: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
): NonNullable<JobStatus["uncountedTerminatedPods"]> {
  const known = uncountedIn(job);
  const all = (before: ReadonlySet<string>, pods: readonly Pod[]) => [
    ...before,
    ...pods.map(({ metadata }) => metadata.uid ?? ""),
  ];
  const lists = { succeeded: all(known.succeeded, succeeded), failed: all(known.failed, failed) };
  return {
    ...(lists.succeeded.length === 0 ? {} : { succeeded: lists.succeeded }),
    ...(lists.failed.length === 0 ? {} : { failed: lists.failed }),
  };
}

/** Removes the finalizer. */
export function release(pods: readonly Pod[], { finalizer }: Pick<JobTracking, "finalizer">): Request<Pod>[] {
  return pods.map(({ metadata: { namespace, name = "", uid } }) => {
    const changes = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [finalizer] } };
    return patch(Pod, { namespace, name }, changes, { type: "strategic", reason: "its job has counted it" });
  });
}

/** Adds the finalizer to pods that the job did not create, or that an earlier release created. */
export function track(pods: readonly Pod[], tracking: JobTracking): Request<Pod>[] {
  const isNew = (pod: Pod) => !isDeleting(pod) && !isPodFinished(pod) && !hasFinalizer(pod, tracking);
  return pods.filter(isNew).map(({ metadata: { namespace, name = "", uid } }) => {
    const changes = { metadata: { uid, finalizers: [tracking.finalizer] } };
    return patch(Pod, { namespace, name }, changes, { type: "strategic", reason: "its job has to count it" });
  });
}
