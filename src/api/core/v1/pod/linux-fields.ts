/** The fields of pods and containers that only nodes with Linux have a meaning for. */

import type { PodSecurityContext, SecurityContext } from "./security-context.ts";

export const ofPodOnLinux = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const satisfies readonly (keyof PodSecurityContext)[];
export const ofContainerOnLinux = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const satisfies readonly (keyof SecurityContext)[];
export const ofHostOnLinux = ["hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"] as const;
