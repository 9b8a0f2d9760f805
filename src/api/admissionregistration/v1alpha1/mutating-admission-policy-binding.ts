/** MutatingAdmissionPolicyBinding in v1alpha1: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import {
  MutatingAdmissionPolicyBinding as Hub,
  MutatingAdmissionPolicyBindingSpec,
} from "../v1beta1/mutating-admission-policy-binding.ts";
import { inV1alpha1 } from "./mutating-admission-policy.ts";

export const MutatingAdmissionPolicyBinding = version(Hub, {
  version: "v1alpha1",
  since: "1.32",
  deprecated: { since: "1.35", removed: "1.38" },
  fields: {
    spec: inV1alpha1(MutatingAdmissionPolicyBindingSpec)
      .at(2)
      .listed(false)
      .from("1.32", elided)
      .doc("The policy, and where it applies."),
  },
});
