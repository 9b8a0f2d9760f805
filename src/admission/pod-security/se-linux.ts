/** SELinux labels: those of the policy, or any. */

import type { SELinuxOptions } from "../../api/core/v1/pod/security-context.ts";
import { type FieldErrors, invalid, noErrors, required } from "../../machinery/status/field-error.ts";
import { type CreateStrategy, effective, setOnContainer, setOnPod } from "./contract.ts";

export const createSeLinux: CreateStrategy = ({ spec: { seLinux } }) => {
  if (seLinux.rule !== "MustRunAs") return {};
  const wanted = seLinux.seLinuxOptions ?? {};
  return {
    mutatePod(pod) {
      if (pod.spec?.securityContext?.seLinuxOptions === undefined) setOnPod(pod, { seLinuxOptions: { ...wanted } });
    },
    mutateContainer(pod, container) {
      if (effective(pod, container, "seLinuxOptions") === undefined)
        setOnContainer(container, { seLinuxOptions: { ...wanted } });
    },
    validatePod: (pod) =>
      validate(pod.spec?.securityContext?.seLinuxOptions, wanted, "spec.securityContext.seLinuxOptions"),
    validateContainer: (pod, container, path) =>
      validate(effective(pod, container, "seLinuxOptions"), wanted, `${path}.securityContext.seLinuxOptions`),
  };
};

function validate(given: SELinuxOptions | undefined, wanted: SELinuxOptions, path: string): FieldErrors {
  if (given === undefined) return [required(path)];
  const fields = (["level", "role", "type", "user"] as const).filter((name) => {
    const [own = "", must = ""] = [given[name], wanted[name]];
    return name === "level" ? !isSameLevel(own, must) : own !== must;
  });
  if (fields.length === 0) return noErrors;
  return fields.map((name) => invalid(`${path}.${name}`, given[name] ?? "", `must be "${wanted[name] ?? ""}"`));
}

/** "s0:c6,c0" and "s0:c0,c6" are the same level: the order of categories does not matter. */
function isSameLevel(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [one, other].map(splitLevel);
  return a !== undefined && b !== undefined && a.sensitivity === b.sensitivity && a.categories === b.categories;
}

function splitLevel(level: string): { sensitivity: string; categories: string } | undefined {
  const colon = level.indexOf(":");
  if (colon < 0) return undefined;
  return {
    sensitivity: level.slice(0, colon),
    categories: level
      .slice(colon + 1)
      .split(",")
      .sort()
      .join(","),
  };
}
