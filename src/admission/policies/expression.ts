/** An expression of a policy or of a webhook, compiled once. */

import type { Program } from "../../cel/contract.ts";
import { compilePolicyExpression, type PolicyNames } from "../../cel/schema/policy-environment.ts";

/** `program` undefined: it does not compile, which is refused when it is written; evaluating it is an error. */
export interface PolicyExpression {
  readonly text: string;
  readonly program: Program | undefined;
}

export const compileExpression = (text: string, names: PolicyNames): PolicyExpression => ({
  text,
  program: compilePolicyExpression(text, names).program,
});
