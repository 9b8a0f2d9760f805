/** Whether a container is started again after it exited: by its own rules, its own policy, or the policy of its pod. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { PodSpec } from "../../api/core/v1/pod/spec.ts";

export function restartsAfter(container: Container, spec: PodSpec | undefined, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = exitCodes?.values?.includes(exitCode) === true;
    if (action === "Restart" && isListed === (exitCodes?.operator === "In")) return true;
  }
  return byPolicy(container.restartPolicy ?? spec?.restartPolicy ?? "Always", exitCode);
}

/** Init containers of a pod that always restarts are started again until they succeed. */
export function restartsInit(container: Container, spec: PodSpec | undefined, exitCode: number): boolean {
  if (isSidecar(container)) return true;
  return exitCode !== 0 && (spec?.restartPolicy ?? "Always") !== "Never";
}

/** An init container that keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

const byPolicy = (policy: string, exitCode: number): boolean =>
  policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
