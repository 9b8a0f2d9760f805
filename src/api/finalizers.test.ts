import { expect, test } from "vitest";
import { catalog } from "./catalog.ts";

test("unqualified finalizers are allowed only for kinds whose metadata the reference checks in general only", () => {
  const plain = catalog.filter(({ strategy }) => strategy.plainFinalizers).map(({ kind }) => kind);
  expect(plain.sort()).toEqual([
    "APIService",
    "CustomResourceDefinition",
    "Event",
    "Lease",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "PodDisruptionBudget",
    "RuntimeClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
  ]);
});
