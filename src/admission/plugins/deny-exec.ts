/** Refuses exec and attach into containers that could reach their node: two deprecated plugins. */

import { Pod } from "../../api/core/v1/pod.ts";
import { containersOf } from "../containers.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

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
  pluginName: string,
  context: AdmissionContext,
  danger: (pod: Pod) => string | undefined,
): AdmissionPlugin {
  return plugin(pluginName, [
    on([under(Pod, "exec"), under(Pod, "attach")], "CONNECT", {
      validate(request) {
        const check = (pod: Pod | undefined): void => {
          // A missing pod is reported by the connection itself.
          const reason = pod && danger(pod);
          if (reason !== undefined) throw refuse(request, `cannot exec into or attach to a container ${reason}`);
        };
        const { namespace, name } = request;
        const found = lookUp(context, context.catalog.of(Pod), { namespace, name });
        return found instanceof Promise ? found.then(check) : check(found);
      },
    }),
  ]);
}

function hostNamespace({ spec }: Pod): string | undefined {
  if (spec?.hostPID) return "using host pid";
  return spec?.hostIPC ? "using host ipc" : undefined;
}

function privileged(pod: Pod): string | undefined {
  const isPrivileged = containersOf(pod).some(({ container }) => container.securityContext?.privileged);
  return isPrivileged ? "of a privileged pod" : undefined;
}
