/** Whether a container that ended is started again. */

import type { Container } from "./container.ts";

/** The rules of the container decide, then its own policy, then that of the pod. */
export function mayRestart(
  container: Container | undefined,
  policyOfPod: string | undefined,
  exitCode: number,
): boolean {
  for (const { action, exitCodes } of container?.restartPolicyRules ?? []) {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    if (action === "Restart" && (exitCodes?.operator === "In") === isListed) return true;
  }
  const policy = container?.restartPolicy ?? policyOfPod;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
