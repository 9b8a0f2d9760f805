/** Checks of what pods and containers ask of the host's security. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type {
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
  WindowsSecurityContextOptions,
} from "./security-context.ts";
import { validateLocalDescendingPath } from "./validate-container.ts";

const idMax = 2147483647;
const sysctlCharsMax = 253;
const credentialSpecBytesMax = 64 * 1024;
const runAsUserNameCharsMax = 273;

export function validateId(id: number | undefined, path: string): FieldError[] {
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
  errors.push(
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
  );
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
  return [...errors, ...validateWindows(context.windowsOptions, `${path}.windowsOptions`)];
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
  errors.push(
    ...validateId(context.fsGroup, `${path}.fsGroup`),
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((id, i) => validateId(id, `${path}.supplementalGroups[${i}]`)),
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
    ...validateWindows(context.windowsOptions, `${path}.windowsOptions`),
  ];
}

export const isSysctlName = (name: string): boolean =>
  name.length <= sysctlCharsMax && name.split(".").every((part) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(part));

export function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (profile.type === "") return [required(`${path}.type`)];
  if (!types.includes(profile.type)) return [notSupported(`${path}.type`, profile.type, types)];
  const at = `${path}.localhostProfile`;
  if (profile.type === "Localhost") {
    return profile.localhostProfile === undefined
      ? [required(at, "must be set when seccomp type is Localhost")]
      : validateLocalDescendingPath(profile.localhostProfile, at);
  }
  return profile.localhostProfile === undefined
    ? []
    : [invalid(at, profile.localhostProfile, "can only be set when seccomp type is Localhost")];
}

function validateWindows(options: WindowsSecurityContextOptions | undefined, path: string): FieldError[] {
  if (options === undefined) return [];
  const errors: FieldError[] = [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (specName !== undefined && !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(specName.slice(0, 254))) {
    errors.push(invalid(`${path}.gmsaCredentialSpecName`, specName, "must be a DNS-1123 subdomain"));
  }
  if (spec !== undefined) {
    const bytes = Buffer.byteLength(spec);
    if (bytes === 0)
      errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec cannot be an empty string"));
    else if (bytes > credentialSpecBytesMax) {
      errors.push(invalid(`${path}.gmsaCredentialSpec`, "", `must be at most ${credentialSpecBytesMax} bytes`));
    }
  }
  if (user !== undefined) {
    const bad =
      user === "" || user.length > runAsUserNameCharsMax || hasControlCharacter(user) || user.split("\\").length > 2;
    if (bad) errors.push(invalid(`${path}.runAsUserName`, user, "must be a user name, optionally with a domain"));
  }
  return errors;
}

const hasControlCharacter = (text: string) => [...text].some((character) => character < " " || character === "\u007f");
