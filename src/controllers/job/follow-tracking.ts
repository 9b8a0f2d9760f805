/** Follows the pods that wait to be counted: forgets those whose release is seen, and releases those whose job is gone. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { ControllerContext } from "../contract.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { isTracked, type JobTracking, release } from "./tracking.ts";

export function followTracking(
  context: ControllerContext,
  { owners: jobs, pods }: { readonly owners: Informer<Job>; readonly pods: Informer<Pod> },
): JobTracking {
  const tracking: JobTracking = {
    finalizer: context.vocabulary.word("batch.orch.io/job-tracking"),
    released: new Set(),
  };
  const hasJob = (pod: Pod) => {
    const { kind, name, uid } = controllerOf(pod) ?? {};
    return kind === "Job" && jobs.get(`${pod.metadata.namespace}/${name}`)?.metadata.uid === uid;
  };
  const orphans = context.queue({
    name: "job_orphan_pod",
    workers: 1,
    after: [jobs, pods],
    sync(key) {
      const pod = pods.get(key);
      return pod && isTracked(pod, tracking) && !hasJob(pod) ? { writes: release([pod], tracking) } : undefined;
    },
  });
  const ofJob = pods.index("job", (pod) => {
    const { kind, uid = "" } = controllerOf(pod) ?? {};
    return kind === "Job" ? [uid] : [];
  });
  const seen = (pod: Pod) => {
    if (pod.metadata.finalizers?.includes(tracking.finalizer) !== true) {
      tracking.released.delete(pod.metadata.uid ?? "");
    } else if (!hasJob(pod)) orphans.add(keyOf(pod));
  };
  pods.on({ add: seen, update: seen, delete: ({ metadata }) => void tracking.released.delete(metadata.uid ?? "") });
  jobs.on({
    delete({ metadata }) {
      for (const pod of ofJob.get(metadata.uid ?? "")) orphans.add(keyOf(pod));
    },
  });
  return tracking;
}
