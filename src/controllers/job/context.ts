/** What a pass over a Job knows beside the job and its pods. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { FailureRun } from "./failure-run.ts";
import type { FailureKeys } from "./policies.ts";
import type { JobTracking } from "./tracking.ts";

export interface JobContext {
  readonly nowMs: number;
  /** The annotation with the index of a pod. */
  readonly indexKey: string;
  /** The gate SuspendJob. */
  readonly suspends: boolean;
  /** Whether the cache shows all earlier writes; otherwise pods are only counted. */
  readonly isSynced: boolean;
  /**
   * Since 1.32 a condition announces the end of a job, and the end itself is written when its last pod is gone; counts never fall,
   * and the status has all of them.
   */
  readonly announcesEnd: boolean;
  /** While the job is suspended its status has no time of start. */
  readonly clearsStart?: boolean;
  /** Absent: pods do not say how often their index has failed. */
  readonly failureKeys?: FailureKeys | undefined;
  /** How pods are counted once and for all. Absent: those that exist are counted. */
  readonly tracking?: JobTracking | undefined;
  /** The failures that earlier passes have seen. */
  readonly failureRun?: FailureRun | undefined;
}

export const isSuspended = (job: Job, { suspends }: Pick<JobContext, "suspends">): boolean =>
  suspends && job.spec?.suspend === true;
