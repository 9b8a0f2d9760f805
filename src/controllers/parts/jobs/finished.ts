/** Whether a Job has ended, for the controllers that act on ended ones. */

import type { Job } from "../../../api/batch/v1/job.ts";
import type { JobCondition } from "../../../api/batch/v1/job-status.ts";

export const isJobFinished = (job: Job): boolean => finishedCondition(job) !== undefined;

/** Undefined: it runs. */
export const finishedCondition = (job: Job): JobCondition | undefined =>
  job.status?.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
