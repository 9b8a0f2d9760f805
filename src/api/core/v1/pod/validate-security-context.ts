/** Relations between the fields of security contexts of pods and containers. */

import { checkedWhen, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { need, refuse } from "../../../../machinery/schema/relations.ts";
import { type FieldErrors, invalid, noErrors, ofEach } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { SeccompProfile, SecurityContext } from "./security-context.ts";
import { PodSpec } from "./spec.ts";

const isLocal = ({ type }: SeccompProfile): boolean => type === "Localhost";

export const contextRelations: readonly Relation[] = [
  refuse(SecurityContext, "", "cannot set `allowPrivilegeEscalation` to false and `privileged` to true", (context) =>
    Boolean(context.allowPrivilegeEscalation === false && context.privileged),
  ),
  refuse(
    SecurityContext,
    "",
    "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
    ({ allowPrivilegeEscalation, capabilities }) =>
      allowPrivilegeEscalation === false && Boolean(capabilities?.add?.includes("CAP_SYS_ADMIN")),
  ),
  checkedWhen(SeccompProfile, ["localhostProfile"], isLocal),
  need(SeccompProfile, "localhostProfile", "must be set when seccomp type is Localhost", isLocal),
  refuse(
    SeccompProfile,
    "localhostProfile",
    "can only be set when seccomp type is Localhost",
    (profile) => !isLocal(profile) && profile.localhostProfile !== undefined,
  ),
  on(PodSpec, validateHostSysctls, { since: "1.29" }),
  on(PodSpec, ({ securityContext, shareProcessNamespace, hostPID }, environment) =>
    securityContext && shareProcessNamespace === true && hostPID === true
      ? [
          invalid(
            has(environment, "namedProcessSharing") ? "shareProcessNamespace" : "securityContext.shareProcessNamespace",
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : noErrors,
  ),
];

/** Kernel parameters of a namespace that the pod shares with the node would be those of the node. */
function validateHostSysctls({ securityContext, hostNetwork, hostIPC }: PodSpec): FieldErrors {
  if (!hostNetwork && !hostIPC) return noErrors;
  return ofEach(securityContext?.sysctls, ({ name }, index) => {
    const dotted = name.replaceAll("/", ".");
    const ofNetwork = hostNetwork && dotted.startsWith("net.");
    const ofIpc =
      hostIPC && (/^kernel\.(shm|msg)/.test(dotted) || dotted === "kernel.sem" || dotted.startsWith("fs.mqueue."));
    return ofNetwork || ofIpc
      ? [invalid(`securityContext.sysctls[${index}].name`, name, "may not be set with the namespace of the host")]
      : noErrors;
  });
}
