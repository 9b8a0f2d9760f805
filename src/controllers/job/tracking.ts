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

/** At most this many pods that succeeded, and as many that failed, are listed as uncounted at once. */
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

/** Pods that are in the counts after this pass, or never will be, and lose their finalizer. */
export function releasable(
  job: Job,
  pods: readonly Pod[],
  tracking: JobTracking,
  { hasFailed: isOver }: { readonly hasFailed: boolean },
): readonly Pod[] {
  const found = pods.filter(
    (pod) => isTracked(pod, tracking) && (isOver || isDeleting(job) || isPodFinished(pod) || hasFailed(pod, job)),
  );
  return found.slice(0, uncountedPodsMax);
}

/** The status before the pods are released; undefined: it lists all of them already. */
export function withUncounted(
  job: Job,
  { succeeded, failed }: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
): JobStatus | undefined {
  if (succeeded.length + failed.length === 0) return undefined;
  const known = uncountedIn(job);
  const all = (before: ReadonlySet<string>, pods: readonly Pod[]) => [
    ...before,
    ...pods.map(({ metadata }) => metadata.uid ?? ""),
  ];
  const lists = { succeeded: all(known.succeeded, succeeded), failed: all(known.failed, failed) };
  const uncountedTerminatedPods = {
    ...(lists.succeeded.length === 0 ? {} : { succeeded: lists.succeeded }),
    ...(lists.failed.length === 0 ? {} : { failed: lists.failed }),
  };
  return { ...job.status, uncountedTerminatedPods };
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
