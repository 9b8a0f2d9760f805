/** Groups of a pod: the owner of its volumes, its supplemental groups, and the group its containers run as. */

import { noErrors } from "../../machinery/status/field-error.ts";
import { type CreateStrategy, effective, setOnContainer, setOnPod } from "./contract.ts";
import { groupRule } from "./id-ranges.ts";

export const createSupplementalGroups: CreateStrategy = ({ spec }) => {
  const rule = groupRule(spec.supplementalGroups);
  return {
    mutatePod(pod) {
      if ((pod.spec?.securityContext?.supplementalGroups?.length ?? 0) > 0 || rule.fallback === undefined) return;
      setOnPod(pod, { supplementalGroups: [rule.fallback] });
    },
    validatePod: (pod) =>
      rule.validate(pod.spec?.securityContext?.supplementalGroups ?? [], "spec.securityContext.supplementalGroups"),
  };
};

export const createFsGroup: CreateStrategy = ({ spec }) => {
  const rule = groupRule(spec.fsGroup);
  return {
    mutatePod(pod) {
      if (pod.spec?.securityContext?.fsGroup !== undefined || rule.fallback === undefined) return;
      setOnPod(pod, { fsGroup: rule.fallback });
    },
    validatePod(pod) {
      const { fsGroup } = pod.spec?.securityContext ?? {};
      return rule.validate(fsGroup === undefined ? [] : [fsGroup], "spec.securityContext.fsGroup");
    },
  };
};

/** A policy without a rule allows every group. */
export const createRunAsGroup: CreateStrategy = ({ spec }) => {
  if (spec.runAsGroup === undefined) return { validatePod: () => noErrors };
  const rule = groupRule(spec.runAsGroup);
  return {
    mutateContainer(pod, container) {
      if (effective(pod, container, "runAsGroup") !== undefined || rule.fallback === undefined) return;
      setOnContainer(container, { runAsGroup: rule.fallback });
    },
    validateContainer(pod, container, path) {
      const group = effective(pod, container, "runAsGroup");
      return rule.validate(group === undefined ? [] : [group], `${path}.securityContext.runAsGroup`);
    },
  };
};
