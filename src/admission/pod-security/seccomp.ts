/** Seccomp profiles, which a policy names in its annotations. */

import { seccompText } from "../../api/core/v1/pod/seccomp.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { type FieldErrors, forbidden, noErrors } from "../../machinery/status/field-error.ts";
import type { AnyContainer, CreateStrategy, SecurityPolicy } from "./contract.ts";

const anyProfile = "*";
/** Two names for the default profile of the container runtime; a policy that allows one allows the other. */
const runtimeDefaults = ["runtime/default", "docker/default"];

export const createSeccomp: CreateStrategy = (policy, { vocabulary }) => {
  const podKey = vocabulary.word("seccomp.security.alpha.orch.io/pod");
  const containerPrefix = vocabulary.word("container.seccomp.security.alpha.orch.io/");
  const fallback = policy.annotations[vocabulary.word("seccomp.security.alpha.orch.io/defaultProfileName")] ?? "";
  const allowed = allowedProfiles(policy, vocabulary.word("seccomp.security.alpha.orch.io/allowedProfileNames"));
  const isAny = allowed.delete(anyProfile);
  const validate = (profile: string, key: string): FieldErrors => {
    if (isAny || allowed.has(profile) || (allowed.size === 0 && profile === "")) return noErrors;
    const names = allowed.size === 0 ? "none" : [...allowed].join(", ");
    return [
      forbidden(`metadata.annotations[${key}]`, `seccomp profile "${profile}" is not allowed; allowed: ${names}`),
    ];
  };
  return {
    // On the level of the pod only: containers inherit it, and those with their own profile are checked by that.
    mutatePod(pod) {
      const profile = annotated(pod, podKey) || ofField(pod) || fallback;
      if (profile === "" || annotated(pod, podKey) === profile) return;
      pod.metadata.annotations = { ...pod.metadata.annotations, [podKey]: profile };
    },
    validatePod: (pod) => validate(annotated(pod, podKey) || ofField(pod), podKey),
    validateContainer: (pod, container) => {
      const key = containerPrefix + container.name;
      const own = ownField(container) ?? annotated(pod, key);
      return validate(own ?? (ofField(pod) || annotated(pod, podKey) || ""), key);
    },
  };
};

function allowedProfiles({ annotations }: SecurityPolicy, key: string): Set<string> {
  const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  const names = text === undefined ? [] : text.split(",");
  const isRuntime = names.some((name) => runtimeDefaults.includes(name));
  return new Set(isRuntime ? [...names, ...runtimeDefaults] : names);
}

function annotated({ metadata: { annotations = {} } }: Pod, key: string): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

function ofField({ spec }: Pod): string {
  const profile = spec?.securityContext?.seccompProfile;
  return (profile && seccompText(profile)) ?? "";
}

/** Undefined: the container does not set one. */
function ownField({ securityContext }: AnyContainer): string | undefined {
  const profile = securityContext?.seccompProfile;
  return profile && (seccompText(profile) ?? "");
}
