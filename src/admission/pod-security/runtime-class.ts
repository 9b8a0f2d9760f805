/** Which runtime classes pods may name, and which one they get. */

import { type FieldErrors, invalid, noErrors } from "../../machinery/status/field-error.ts";
import type { CreateStrategy } from "./contract.ts";

const anyClass = "*";

export const createRuntimeClasses: CreateStrategy = ({ spec: { runtimeClass } }) => {
  if (runtimeClass === undefined) return {};
  const allowed = runtimeClass.allowedRuntimeClassNames ?? [];
  return {
    mutatePod({ spec }) {
      const fallback = runtimeClass.defaultRuntimeClassName;
      if (spec === undefined || spec.runtimeClassName !== undefined || fallback === undefined) return;
      spec.runtimeClassName = fallback;
    },
    validatePod({ spec }): FieldErrors {
      const name = spec?.runtimeClassName;
      if (name === undefined || allowed.includes(anyClass) || allowed.includes(name)) return noErrors;
      return [invalid("spec.runtimeClassName", name, `must be one of ${allowed.join(", ") || "none"}`)];
    },
  };
};
