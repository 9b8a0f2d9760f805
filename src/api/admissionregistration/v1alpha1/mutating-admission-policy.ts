/** MutatingAdmissionPolicy in v1alpha1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { MutatingAdmissionPolicy as Hub } from "../v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicySpec } from "../v1beta1/mutating-policy-spec.ts";

export const inV1alpha1 = createRetyped("admissionregistration.v1beta1", "admissionregistration.v1alpha1");

export const MutatingAdmissionPolicy = version(Hub, {
  version: "v1alpha1",
  since: "1.32",
  fields: { spec: inV1alpha1(MutatingAdmissionPolicySpec).at(2).doc("What the policy is about, and what it changes.") },
});
