/** The resources of a running container, as agents since 1.33 tell them: what its spec says is in force at once. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { PodContext } from "./context.ts";

export function withResources(
  { resources }: Container,
  status: ContainerStatus,
  { tells }: Pick<PodContext, "tells">,
): ContainerStatus {
  if (tells !== "1.35" || status.state?.running === undefined) return status;
  const { limits, requests } = resources ?? {};
  const inForce = { ...(limits && { limits }), ...(requests && { requests }) };
  if (status.resources !== undefined && sameValue(status.resources, inForce)) return status;
  return { ...status, resources: inForce, ...(requests && { allocatedResources: requests }) };
}

/** Whether a resource has changed that the container only gets by a restart. */
export function needsRestart(
  { resources, resizePolicy }: Container,
  { state, resources: inForce }: ContainerStatus,
): boolean {
  if (inForce === undefined || state?.running === undefined) return false;
  return (resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (resources?.requests?.[resourceName] !== inForce.requests?.[resourceName] ||
        resources?.limits?.[resourceName] !== inForce.limits?.[resourceName]),
  );
}
