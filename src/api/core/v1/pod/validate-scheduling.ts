/** Relations between the fields by which pods choose nodes. */

import { validateLabelKey } from "../../../../machinery/meta/labels.ts";
import { isDns1123Subdomain, isLabelValue } from "../../../../machinery/meta/names.ts";
import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  both,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { NodeSelector, type NodeSelectorRequirement, NodeSelectorTerm, Toleration } from "./scheduling.ts";

export const schedulingRelations: readonly Relation[] = [
  on(Toleration, validateToleration),
  on(NodeSelectorTerm, validateTerm),
  on(NodeSelector, validateValues, { since: "1.33" }),
];

export const checkToleration = checker(Toleration, schedulingRelations);

function validateToleration(toleration: Toleration): FieldErrors {
  const errors: FieldError[] = [];
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  if (key === "" && operator !== "Exists") {
    const problem = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid("operator", operator, problem));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(invalid("effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "Equal" || operator === "") {
    const problems = isLabelValue(value);
    if (problems.length > 0) errors.push(invalid("operator", value, problems.join("; ")));
  } else if (operator === "Exists" && value !== "") {
    errors.push(invalid("operator", toleration, "value must be empty when `operator` is 'Exists'"));
  }
  return errors;
}

/** What nodes must have are values that labels can have. */
function validateValues({ nodeSelectorTerms }: NodeSelector): FieldErrors {
  return ofEach(nodeSelectorTerms, ({ matchExpressions }, index) =>
    ofEach(matchExpressions, ({ values }, at) =>
      ofEach(values, (value, position) =>
        isLabelValue(value).map((problem) =>
          invalid(`nodeSelectorTerms[${index}].matchExpressions[${at}].values[${position}]`, value, problem),
        ),
      ),
    ),
  );
}

function validateTerm(term: NodeSelectorTerm): FieldErrors {
  return both(
    ofEach(term.matchExpressions, (one, index) => validateExpression(one, `matchExpressions[${index}]`)),
    ofEach(term.matchFields, (one, index) => validateFieldRequirement(one, `matchFields[${index}]`)),
  );
}

function validateExpression(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const count = (requirement.values ?? []).length;
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (count === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (count > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case "Gt":
    case "Lt":
      if (count !== 1)
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
  }
  return [...errors, ...validateLabelKey(requirement.key, `${path}.key`)];
}

function validateFieldRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const values = requirement.values ?? [];
  if (requirement.operator === "In" || requirement.operator === "NotIn") {
    if (values.length !== 1)
      errors.push(
        required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      );
  } else errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
  if (requirement.key !== "metadata.name")
    return [...errors, invalid(`${path}.key`, requirement.key, "not a valid field selector key")];
  values.forEach((value, index) => {
    errors.push(...isDns1123Subdomain(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)));
  });
  return errors;
}
