/** Checks the expressions of a policy against the types of the objects that it is about. */

import type { Release } from "../../../base/release.ts";
import type { Steps } from "../../../base/time-slice.ts";
import { describeProblems } from "../../../cel/problems.ts";
import { schemaType } from "../../../cel/schema/json-schema-type.ts";
import { type PolicyNames, policyExpressionSteps } from "../../../cel/schema/policy-environment.ts";
import { dyn, type Type } from "../../../cel/types/types.ts";
import type { JsonSchema } from "../../../machinery/json/json-schema.ts";
import type { ValidatingAdmissionPolicySpec } from "./policy-spec.ts";

export interface CheckedKind {
  /** "apps/v1, Kind=Deployment". */
  readonly label: string;
  readonly schema: JsonSchema;
}

interface TypeWarning {
  /** "spec.validations[0].expression". */
  readonly fieldRef: string;
  readonly warning: string;
}

/** One warning for each expression that does not fit some of the kinds; it names each of them. In steps: there may be thousands. */
export function* typeWarnings(
  spec: ValidatingAdmissionPolicySpec,
  {
    kinds,
    params,
    release,
  }: { readonly kinds: readonly CheckedKind[]; readonly params?: JsonSchema; readonly release: Release },
): Steps<readonly TypeWarning[]> {
  const paramsType = params && typeOf(params, "params");
  const found = new Map<string, string[]>();
  for (const { label, schema } of kinds) {
    const object = typeOf(schema, label);
    if (object === undefined) continue;
    const hasParams = spec.paramKind !== undefined;
    const names: PolicyNames = {
      release,
      object,
      hasParams,
      ...(paramsType === undefined ? {} : { params: paramsType }),
    };
    const variables = yield* variableTypes(spec, names);
    for (const [fieldRef, text, more] of expressionsOf(spec)) {
      yield;
      const { problems } = yield* policyExpressionSteps(text, { ...names, ...more, variables });
      if (problems === undefined || problems.length === 0) continue;
      found.set(fieldRef, [...(found.get(fieldRef) ?? []), `${label}: ${describeProblems(text, problems)}`]);
    }
  }
  return [...found].map(([fieldRef, warnings]) => ({ fieldRef, warning: warnings.join("\n") }));
}

const typeOf = (schema: JsonSchema, name: string): Type | undefined =>
  schemaType(schema, { prefix: "x-orch-", isResource: false, name })?.type;

function* variableTypes(
  { variables }: ValidatingAdmissionPolicySpec,
  names: PolicyNames,
): Steps<ReadonlyMap<string, Type>> {
  const types = new Map<string, Type>();
  for (const { name, expression } of variables ?? []) {
    const { program } = yield* policyExpressionSteps(expression, { ...names, variables: new Map(types) });
    types.set(name, program?.type ?? dyn);
    yield;
  }
  return types;
}

function* expressionsOf({
  validations = [],
}: ValidatingAdmissionPolicySpec): Generator<readonly [fieldRef: string, text: string, more: Partial<PolicyNames>]> {
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    const at = `spec.validations[${index}]`;
    yield [`${at}.expression`, expression, {}];
    if (messageExpression) yield [`${at}.messageExpression`, messageExpression, { hasAuthorizer: false }];
  }
}
