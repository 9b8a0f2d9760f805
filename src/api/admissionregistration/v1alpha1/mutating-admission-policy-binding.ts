/** MutatingAdmissionPolicyBinding in v1alpha1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import {
  MutatingAdmissionPolicyBinding as Hub,
  MutatingAdmissionPolicyBindingSpec,
} from "../v1beta1/mutating-admission-policy-binding.ts";
import { inV1alpha1 } from "./mutating-admission-policy.ts";

export const MutatingAdmissionPolicyBinding = version(Hub, {
  version: "v1alpha1",
  since: "1.32",
  fields: { spec: inV1alpha1(MutatingAdmissionPolicyBindingSpec).at(2).doc("The policy, and where it applies.") },
});
