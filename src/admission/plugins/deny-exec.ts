/** Keeps people out of containers that could reach their node: the two old plugins that refuse exec and attach. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type AdmissionContext, findKind, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { containersOf } from "../pod-request.ts";

/** Refuses exec into and attach to pods that are privileged or use the process or IPC namespace of their node. */
export function createDenyEscalatingExec(context: AdmissionContext): AdmissionPlugin {
  return createDenyExec("DenyEscalatingExec", context, (pod) => hostNamespace(pod) ?? privileged(pod));
}

/** Refuses exec into and attach to privileged pods only. */
export function createDenyExecOnPrivileged(context: AdmissionContext): AdmissionPlugin {
  return createDenyExec("DenyExecOnPrivileged", context, privileged);
}

/** `danger` says what makes a pod dangerous; undefined: nothing does. */
function createDenyExec(
  name: string,
  context: AdmissionContext,
  danger: (pod: Pod) => string | undefined,
): AdmissionPlugin {
  const judge = (request: AdmissionRequest, found: ApiObject | undefined): void => {
    // A pod that is not there is reported by the connection itself.
    const reason = found && danger(found as unknown as Pod); // all that the family of pods holds
    if (reason !== undefined) throw refuse(request, `cannot exec into or attach to a container ${reason}`);
  };
  return {
    name,
    handles: ({ operation, kind, subresource }) =>
      operation === "CONNECT" &&
      kind.declaration.group === "" &&
      kind.declaration.resource === "pods" &&
      (subresource === "exec" || subresource === "attach"),
    validate(request) {
      const kind = findKind(context, "", "v1", "pods");
      const found = kind && lookUp(context, kind, { namespace: request.namespace, name: request.name });
      if (found instanceof Promise) return found.then((pod) => judge(request, pod));
      judge(request, found);
    },
  };
}

function hostNamespace({ spec }: Pod): string | undefined {
  if (spec?.hostPID) return "using host pid";
  return spec?.hostIPC ? "using host ipc" : undefined;
}

function privileged(pod: Pod): string | undefined {
  const isPrivileged = containersOf(pod).some(({ container }) => container.securityContext?.privileged);
  return isPrivileged ? "of a privileged pod" : undefined;
}
