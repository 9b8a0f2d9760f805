/** AppArmor profiles, which both policies and pods name in annotations. */

import { forbidden, noErrors } from "../../machinery/status/field-error.ts";
import type { CreateStrategy } from "./contract.ts";

export const createAppArmor: CreateStrategy = ({ annotations }, { vocabulary }) => {
  const prefix = vocabulary.word("container.apparmor.security.beta.orch.io/");
  const fallback = annotations[vocabulary.word("apparmor.security.beta.orch.io/defaultProfileName")] ?? "";
  const allowedKey = vocabulary.word("apparmor.security.beta.orch.io/allowedProfileNames");
  const allowed = Object.hasOwn(annotations, allowedKey) ? new Set(annotations[allowedKey]?.split(",")) : undefined;
  return {
    mutateContainer({ metadata }, { name }) {
      const key = prefix + name;
      if (fallback === "" || metadata.annotations?.[key]) return;
      metadata.annotations = { ...metadata.annotations, [key]: fallback };
    },
    validateContainer({ metadata }, { name }) {
      // A policy without a list allows every profile.
      if (allowed === undefined) return noErrors;
      const key = prefix + name;
      const profile = metadata.annotations?.[key] ?? "";
      if (profile !== "" && allowed.has(profile)) return noErrors;
      const problem =
        profile === "" ? "an AppArmor profile must be set" : `AppArmor profile "${profile}" is not allowed`;
      return [forbidden(`metadata.annotations[${key}]`, `${problem}; allowed: ${[...allowed].join(", ")}`)];
    },
  };
};
