/** Kernel parameters of a pod: the safe ones, those that the policy adds, and never those that it forbids. */

import { forbidden, noErrors, ofEach } from "../../machinery/status/field-error.ts";
import type { CreateStrategy } from "./contract.ts";

/** Parameters that a pod cannot use to harm others on its node. */
const safe = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
]);

export const createSysctls: CreateStrategy = ({ spec: { allowedUnsafeSysctls = [], forbiddenSysctls = [] } }) => ({
  validatePod: ({ spec }) =>
    ofEach(spec?.securityContext?.sysctls, ({ name }, index) => {
      const isAllowed = safe.has(name) || matches(name, allowedUnsafeSysctls);
      if (isAllowed && !matches(name, forbiddenSysctls)) return noErrors;
      return [forbidden(`spec.securityContext.sysctls[${index}]`, `sysctl "${name}" is not allowed`)];
    }),
});

/** "kernel.*" matches everything with that prefix. */
function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}
