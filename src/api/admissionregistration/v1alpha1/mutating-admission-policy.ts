/** MutatingAdmissionPolicy in v1alpha1: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { MutatingAdmissionPolicy as Hub } from "../v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicySpec, namedValues } from "../v1beta1/mutating-policy-spec.ts";

export const inV1alpha1 = createRetyped("admissionregistration.v1beta1", "admissionregistration.v1alpha1", {
  enums: { ...namedValues, parameterNotFoundAction: ["Allow", "Deny"] },
  granular: ["Variable"],
});

export const MutatingAdmissionPolicy = version(Hub, {
  version: "v1alpha1",
  since: "1.32",
  deprecated: { since: "1.35", removed: "1.38" },
  fields: {
    spec: inV1alpha1(MutatingAdmissionPolicySpec)
      .at(2)
      .listed(false)
      .from("1.32", elided)
      .doc("What the policy is about, and what it changes."),
  },
});
