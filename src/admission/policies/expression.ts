/** An expression of a policy or of a webhook, compiled once. */

import type { Steps } from "../../base/time-slice.ts";
import type { Program } from "../../cel/contract.ts";
import { type PolicyNames, policyExpressionSteps } from "../../cel/schema/policy-environment.ts";

/** `program` undefined: it does not compile, which is refused when it is written; evaluating it is an error. */
export interface PolicyExpression {
  readonly text: string;
  readonly program: Program | undefined;
}

export function* expressionSteps(text: string, names: PolicyNames): Steps<PolicyExpression> {
  const { program } = yield* policyExpressionSteps(text, names);
  return { text, program };
}
