/** Which pods are equal for every quota, so that one of them is decoded for all. */

import type { Pod } from "../../api/core/v1/pod.ts";

/** All fields that usage and scopes depend on, and those that decide whether a pod has ended. */
export function podLikeness({ metadata, spec, status }: Pod): string {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return JSON.stringify([
    status?.phase === "Succeeded" || status?.phase === "Failed",
    metadata.deletionTimestamp,
    metadata.deletionGracePeriodSeconds,
    spec?.activeDeadlineSeconds,
    spec?.priorityClassName,
    podAffinity,
    podAntiAffinity,
    spec?.overhead,
    spec?.resources,
    spec?.containers?.map(({ resources }) => resources),
    spec?.initContainers?.map(({ resources, restartPolicy }) => [resources, restartPolicy]),
  ]);
}
