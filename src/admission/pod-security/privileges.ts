/** Privileged containers, privilege escalation, unmasked /proc and writable root file systems. */

import { type FieldErrors, invalid, noErrors } from "../../machinery/status/field-error.ts";
import { type CreateStrategy, setOnContainer } from "./contract.ts";

export const createPrivileged: CreateStrategy = ({ spec: { privileged } }) => ({
  validateContainer: (_pod, { securityContext }, path) =>
    securityContext?.privileged && !privileged
      ? [invalid(`${path}.securityContext.privileged`, true, "privileged containers are not allowed")]
      : noErrors,
});

export const createProcMount: CreateStrategy = ({ spec: { allowedProcMountTypes = [] } }) => {
  const allowed = allowedProcMountTypes.length === 0 ? ["Default"] : allowedProcMountTypes;
  return {
    validateContainer(_pod, { securityContext }, path): FieldErrors {
      const type = securityContext?.procMount ?? "Default";
      if (allowed.includes(type)) return noErrors;
      return [invalid(`${path}.securityContext.procMount`, type, `must be one of ${allowed.join(", ")}`)];
    },
  };
};

export const createReadOnlyRootFilesystem: CreateStrategy = ({ spec: { readOnlyRootFilesystem } }) => {
  if (!readOnlyRootFilesystem) return {};
  return {
    mutateContainer(_pod, container) {
      if (container.securityContext?.readOnlyRootFilesystem !== undefined) return;
      setOnContainer(container, { readOnlyRootFilesystem: true });
    },
    validateContainer(_pod, { securityContext }, path): FieldErrors {
      const given = securityContext?.readOnlyRootFilesystem;
      if (given === true) return noErrors;
      return [invalid(`${path}.securityContext.readOnlyRootFilesystem`, given ?? null, "must be true")];
    },
  };
};

export const createPrivilegeEscalation: CreateStrategy = ({ spec }) => {
  const mayEscalate = spec.allowPrivilegeEscalation ?? true;
  const fallback = spec.defaultAllowPrivilegeEscalation ?? (mayEscalate ? undefined : false);
  return {
    mutateContainer(_pod, container) {
      if (fallback === undefined || container.securityContext?.allowPrivilegeEscalation !== undefined) return;
      setOnContainer(container, { allowPrivilegeEscalation: fallback });
    },
    validateContainer(_pod, { securityContext }, path): FieldErrors {
      const given = securityContext?.allowPrivilegeEscalation;
      if (mayEscalate || given === false) return noErrors;
      return [invalid(`${path}.securityContext.allowPrivilegeEscalation`, given ?? null, "must be false")];
    },
  };
};
