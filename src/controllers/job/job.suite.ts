/** Minimal jobs and their pods for tests. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { JobSpec } from "../../api/batch/v1/job-spec.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import type { JobContext } from "./context.ts";

export const indexKey = "batch.orch.io/job-completion-index";
export const context: JobContext = {
  nowMs: Date.parse("2021-05-01T00:01:00Z"),
  indexKey,
  suspends: true,
  isSynced: true,
  announcesEnd: false,
};

export const finalizer = "batch.orch.io/job-tracking";
export const today: JobContext = {
  ...context,
  announcesEnd: true,
  failureKeys: {
    counted: "batch.orch.io/job-index-failure-count",
    ignored: "batch.orch.io/job-index-ignored-failure-count",
  },
  tracking: { finalizer, released: new Set() },
};

export const jobOf = (spec: Partial<JobSpec>, status?: JobStatus): Job => ({
  metadata: { name: "j", namespace: "ns", uid: "uid-j" },
  spec: {
    parallelism: 1,
    backoffLimit: 6,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    ...spec,
  },
  ...(status ? { status } : {}),
});

/** "Succeeded" or "Running#3": a phase, and the index of an Indexed job. */
export function podsOf(...texts: readonly string[]): Pod[] {
  return texts.map((text, number) => {
    const [phase = "", index] = text.split("#");
    const annotations = index === undefined ? {} : { annotations: { [indexKey]: index } };
    const pod = podOf({ name: `p${number}`, phase, ...annotations });
    return { ...pod, metadata: { ...pod.metadata, uid: `uid-${number}`, finalizers: [finalizer] } };
  });
}
