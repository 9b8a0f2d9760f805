/** Applies one policy to a pod, and returns the violations that remain. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { type FieldErrors, ofEach, together } from "../../machinery/status/field-error.ts";
import { containersOf } from "../containers.ts";
import { createAppArmor } from "./app-armor.ts";
import { createCapabilities } from "./capabilities.ts";
import type { CreateStrategy, SecurityPolicy } from "./contract.ts";
import { createFsGroup, createRunAsGroup, createSupplementalGroups } from "./groups.ts";
import { createHostNamespaces, createHostPorts } from "./host.ts";
import {
  createPrivileged,
  createPrivilegeEscalation,
  createProcMount,
  createReadOnlyRootFilesystem,
} from "./privileges.ts";
import { createRunAsUser } from "./run-as-user.ts";
import { createRuntimeClasses } from "./runtime-class.ts";
import { createSeLinux } from "./se-linux.ts";
import { createSeccomp } from "./seccomp.ts";
import { createSysctls } from "./sysctls.ts";
import { createVolumes } from "./volumes.ts";

/** In the order in which v1.21 fills in. */
const strategies: readonly CreateStrategy[] = [
  createSupplementalGroups,
  createFsGroup,
  createSeLinux,
  createSeccomp,
  createRuntimeClasses,
  createRunAsUser,
  createRunAsGroup,
  createAppArmor,
  createCapabilities,
  createReadOnlyRootFilesystem,
  createPrivilegeEscalation,
  // The following strategies only validate.
  createHostNamespaces,
  createSysctls,
  createVolumes,
  createPrivileged,
  createProcMount,
  createHostPorts,
];

/** Changes `pod` in place. No errors: the policy allows it. */
export function applyPolicy(policy: SecurityPolicy, pod: Pod, environment: Environment): FieldErrors {
  const created = strategies.map((create) => create(policy, environment));
  for (const strategy of created) strategy.mutatePod?.(pod);
  for (const { container } of containersOf(pod)) {
    for (const strategy of created) strategy.mutateContainer?.(pod, container);
  }
  return together(
    ofEach(created, (strategy) => strategy.validatePod?.(pod) ?? []),
    ofEach(containersOf(pod), ({ container, path }) =>
      ofEach(created, (strategy) => strategy.validateContainer?.(pod, container, path) ?? []),
    ),
  );
}
