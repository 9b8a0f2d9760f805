/** ValidatingAdmissionPolicyBinding in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ValidatingAdmissionPolicyBinding as Hub } from "../v1/validating-admission-policy-binding.ts";

export const ValidatingAdmissionPolicyBinding = version(Hub, {
  version: "v1alpha1",
  since: "1.26",
  deprecated: { since: "1.29", removed: "1.32" },
  retyped: { enums: { parameterNotFoundAction: ["Allow", "Deny"] }, granular: ["Variable"] },
});
