/** What must hold for flow schemas beyond the rules of their fields. */

import { checker, chosenBy, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { need } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldError, invalid, noErrors, required } from "../../../machinery/status/field-error.ts";
import { mandatorySchemas } from "./built-in.ts";
import {
  type FlowSchemaSpec,
  FlowSchemaStatus,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "./flow-schema-spec.ts";

export const flowSchemaRelations: readonly Relation[] = [
  chosenBy(Subject, {
    by: "kind",
    members: { serviceAccount: "ServiceAccount", user: "User", group: "Group" },
    missing: (kind) => `must be given for kind ${kind}`,
    surplus: (_kind, own) => `must not be given unless the kind is ${own}`,
  }),
  on(PolicyRulesWithSubjects, ({ resourceRules = [], nonResourceRules = [] }) =>
    resourceRules.length === 0 && nonResourceRules.length === 0
      ? [required("", "must have resourceRules or nonResourceRules")]
      : noErrors,
  ),
  need(
    ResourcePolicyRule,
    "namespaces",
    "must have at least one unless clusterScope is true",
    ({ clusterScope }) => clusterScope !== true,
  ),
];

interface SchemaLike {
  readonly metadata: ObjectMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}

const checkStatus = checker(FlowSchemaStatus);

export function validateFlowSchema(
  { metadata: { name = "" }, spec, status }: SchemaLike,
  environment: Environment,
): FieldError[] {
  const errors: FieldError[] = [];
  if (spec?.matchingPrecedence === 1 && name !== "exempt")
    errors.push(invalid("spec.matchingPrecedence", 1, 'only the schema "exempt" may have precedence 1'));
  const fixed = mandatorySchemas.get(name);
  if (fixed !== undefined && !sameValue(spec, fixed))
    errors.push(invalid("spec", spec, `the spec of "${name}" is fixed`));
  return [...errors, ...checkStatus(status, "status", environment)];
}
