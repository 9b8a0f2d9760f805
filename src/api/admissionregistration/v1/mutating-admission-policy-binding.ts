/** MutatingAdmissionPolicyBinding in v1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import { MutatingAdmissionPolicyBinding as Hub } from "../v1beta1/mutating-admission-policy-binding.ts";
import { namedValues } from "../v1beta1/mutating-policy-spec.ts";

export const MutatingAdmissionPolicyBinding = version(Hub, {
  version: "v1",
  since: "1.36",
  retyped: { enums: namedValues },
});
