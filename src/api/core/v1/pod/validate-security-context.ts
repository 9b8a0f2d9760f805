/** Checks of the security context of pods and containers. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import {
  addTo,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../machinery/status/field-error.ts";
import { validateLocalDescendingPath } from "../volume/validate-path.ts";
import type { PodSecurityContext, SeccompProfile, SecurityContext } from "./security-context.ts";
import { validateWindowsOptions } from "./validate-windows-options.ts";

const idMax = 2147483647;
const sysctlCharsMax = 253;

function validateId(id: number | undefined, path: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= idMax)) return [];
  return [invalid(path, id, `must be between 0 and ${idMax}, inclusive`)];
}

export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: string,
  environment: Environment,
): FieldError[] {
  if (context === undefined) return [];
  const errors: FieldError[] = [];
  if (context.privileged === true && !environment.allowPrivileged) {
    errors.push(forbidden(`${path}.privileged`, "disallowed by cluster policy"));
  }
  addTo(errors, validateId(context.runAsUser, `${path}.runAsUser`));
  addTo(errors, validateId(context.runAsGroup, `${path}.runAsGroup`));
  const procMounts = ["Default", "Unmasked"];
  if (context.procMount !== undefined && !procMounts.includes(context.procMount)) {
    errors.push(notSupported(`${path}.procMount`, context.procMount, procMounts));
  }
  errors.push(...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`));
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) {
      errors.push(invalid(path, "", "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    }
    if ((context.capabilities?.add ?? []).includes("CAP_SYS_ADMIN")) {
      errors.push(
        invalid(path, "", "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"),
      );
    }
  }
  return [...errors, ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`)];
}

interface PodParts {
  readonly securityContext?: PodSecurityContext;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly shareProcessNamespace?: boolean;
}

export function validatePodSecurityContext(spec: PodParts, path: string): FieldError[] {
  const context = spec.securityContext;
  const errors: FieldError[] = [];
  if (context === undefined) return errors;
  addTo(errors, validateId(context.fsGroup, `${path}.fsGroup`));
  addTo(errors, validateId(context.runAsUser, `${path}.runAsUser`));
  addTo(errors, validateId(context.runAsGroup, `${path}.runAsGroup`));
  addTo(
    errors,
    (context.supplementalGroups ?? []).flatMap((id, i) => validateId(id, `${path}.supplementalGroups[${i}]`)),
  );
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    errors.push(
      invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  }
  const names = new Set<string>();
  (context.sysctls ?? []).forEach((sysctl, index) => {
    const at = `${path}.sysctls[${index}]`;
    if (sysctl.name === "") errors.push(required(`${at}.name`));
    else if (!isSysctlName(sysctl.name)) errors.push(invalid(`${at}.name`, sysctl.name, "must be a sysctl name"));
    else if (names.has(sysctl.name)) errors.push(duplicate(`${at}.name`, sysctl.name));
    names.add(sysctl.name);
  });
  const policies = ["OnRootMismatch", "Always"];
  if (context.fsGroupChangePolicy !== undefined && !policies.includes(context.fsGroupChangePolicy)) {
    errors.push(notSupported(`${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, policies));
  }
  return [
    ...errors,
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
  ];
}

const isSysctlName = (name: string): boolean =>
  name.length <= sysctlCharsMax && name.split(".").every((part) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(part));

function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  const errors: FieldError[] = [];
  if (profile.type === "") errors.push(required(`${path}.type`));
  else if (!types.includes(profile.type)) errors.push(notSupported(`${path}.type`, profile.type, types));
  const at = `${path}.localhostProfile`;
  const file = profile.localhostProfile;
  if (profile.type === "Localhost") {
    if (file === undefined) errors.push(required(at, "must be set when seccomp type is Localhost"));
    else errors.push(...validateLocalDescendingPath(file, at));
  } else if (file !== undefined) errors.push(invalid(at, file, "can only be set when seccomp type is Localhost"));
  return errors;
}
