/** A ValidatingAdmissionPolicy as requests are judged by it. */

import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { type CompiledPolicy, compileCommon } from "./compiled-policy.ts";
import type { PolicyExpression } from "./expression.ts";

export interface CompiledValidation {
  readonly expression: PolicyExpression;
  readonly message: string;
  readonly messageExpression: PolicyExpression | undefined;
  readonly reason: string;
}

export interface ValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly expression: PolicyExpression }[];
}

export function* compileValidating(policy: ValidatingAdmissionPolicy, release: Release): Steps<ValidatingPolicy> {
  const { policy: common, more } = yield* compileCommon(policy, release);
  const validations: CompiledValidation[] = [];
  for (const { expression, message = "", messageExpression, reason } of policy.spec.validations ?? []) {
    const compiled = yield* more(expression);
    yield;
    validations.push({
      expression: compiled,
      message,
      messageExpression:
        messageExpression === undefined ? undefined : yield* more(messageExpression, { hasAuthorizer: false }),
      reason: reason ?? "Invalid",
    });
    yield;
  }
  const annotations: { key: string; expression: PolicyExpression }[] = [];
  for (const { key, valueExpression } of policy.spec.auditAnnotations ?? []) {
    annotations.push({ key, expression: yield* more(valueExpression) });
    yield;
  }
  return { ...common, validations, annotations };
}
