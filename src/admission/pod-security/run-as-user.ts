/** As which user containers run. */

import { type FieldErrors, invalid, noErrors, required } from "../../machinery/status/field-error.ts";
import { type CreateStrategy, effective, type SecurityStrategy, setOnContainer } from "./contract.ts";
import { isInRanges, shown } from "./id-ranges.ts";

export const createRunAsUser: CreateStrategy = (policy, environment) => {
  switch (policy.spec.runAsUser.rule) {
    case "MustRunAs":
      return mustRunAs(policy, environment);
    case "MustRunAsNonRoot":
      return mustRunAsNonRoot;
    default:
      return {};
  }
};

const mustRunAs: CreateStrategy = ({ spec }) => {
  const { ranges = [] } = spec.runAsUser;
  return {
    mutateContainer(pod, container) {
      const first = ranges[0];
      if (effective(pod, container, "runAsUser") !== undefined || first === undefined) return;
      setOnContainer(container, { runAsUser: first.min });
    },
    validateContainer(pod, container, path) {
      const field = `${path}.securityContext.runAsUser`;
      const user = effective(pod, container, "runAsUser");
      if (user === undefined) return [required(field)];
      return isInRanges(user, ranges) ? noErrors : [invalid(field, user, `must be in the ranges: ${shown(ranges)}`)];
    },
  };
};

const mustRunAsNonRoot: SecurityStrategy = {
  /** Without a user the one of the image is used; the node checks it if runAsNonRoot is set. */
  mutateContainer(pod, container) {
    const isOpen =
      effective(pod, container, "runAsNonRoot") === undefined && effective(pod, container, "runAsUser") === undefined;
    if (isOpen) setOnContainer(container, { runAsNonRoot: true });
  },
  validateContainer(pod, container, path): FieldErrors {
    const nonRoot = effective(pod, container, "runAsNonRoot");
    const user = effective(pod, container, "runAsUser");
    const context = `${path}.securityContext`;
    if (nonRoot === undefined && user === undefined) return [required(`${context}.runAsNonRoot`, "must be true")];
    if (nonRoot === false) return [invalid(`${context}.runAsNonRoot`, nonRoot, "must be true")];
    return user === 0 ? [invalid(`${context}.runAsUser`, user, "must not be the user id of root")] : noErrors;
  },
};
