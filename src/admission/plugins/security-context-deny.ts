/** Refuses pods that choose their user, groups or SELinux labels themselves. */

import { Pod } from "../../api/core/v1/pod.ts";
import { containersOf } from "../containers.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

const podFields = ["supplementalGroups", "seLinuxOptions", "runAsUser", "fsGroup"] as const;
const containerFields = ["seLinuxOptions", "runAsUser"] as const;

export function createSecurityContextDeny(): AdmissionPlugin {
  return plugin("SecurityContextDeny", [
    on(Pod, ["CREATE", "UPDATE"], {
      validate(request) {
        const field = forbiddenField(request.object);
        if (field !== undefined) throw refuse(request, `${field}: must not be set`);
      },
    }),
  ]);
}

function forbiddenField(pod: Pod): string | undefined {
  const own = podFields.find((name) => pod.spec?.securityContext?.[name] !== undefined);
  if (own !== undefined) return `spec.securityContext.${own}`;
  for (const { container, path } of containersOf(pod)) {
    const name = containerFields.find((candidate) => container.securityContext?.[candidate] !== undefined);
    if (name !== undefined) return `${path}.securityContext.${name}`;
  }
  return undefined;
}
