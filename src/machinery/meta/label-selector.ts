/** Label selectors in objects: matchLabels and matchExpressions. */

import type { Environment } from "../schema/environment.ts";
import {
  both,
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
} from "../status/field-error.ts";
import { type Texts, validateLabelKey, validateLabels } from "./labels.ts";
import { isLabelValue } from "./names.ts";

/** A selector in an object. */
export interface LabelSelectorObject {
  readonly matchLabels?: Texts;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | null | undefined;
}
interface LabelSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/**
 * An absent selector is valid: the kind itself decides whether it is required. Values are not checked before 1.26; one that is not
 * a valid label value matches nothing.
 */
export function validateLabelSelector(
  selector: LabelSelectorObject | null | undefined,
  path: string,
  environment?: Pick<Environment, "has">,
): FieldErrors {
  const checksValues = environment?.has("checkedSelectorValues") ?? false;
  return both(
    validateLabels(selector?.matchLabels, `${path}.matchLabels`),
    ofEach(selector?.matchExpressions, (expression, at) =>
      both(
        validateExpression(expression, `${path}.matchExpressions[${at}]`),
        checksValues ? validateValues(expression, `${path}.matchExpressions[${at}].values`) : noErrors,
      ),
    ),
  );
}

const validateValues = ({ values }: LabelSelectorExpression, path: string): FieldErrors =>
  ofEach(values, (value, at) => each(isLabelValue(value), `${path}[${at}]`, value));

function validateExpression({ key, operator, values }: LabelSelectorExpression, path: string): FieldErrors {
  const errors: FieldError[] = [];
  const count = values?.length ?? 0;
  if (operator === "In" || operator === "NotIn") {
    if (count === 0) errors.push(required(`${path}.values`, `must be given when the operator is ${operator}`));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (count > 0) errors.push(forbidden(`${path}.values`, `must not be given when the operator is ${operator}`));
  } else {
    errors.push(invalid(`${path}.operator`, operator, "must be In, NotIn, Exists or DoesNotExist"));
  }
  return [...errors, ...validateLabelKey(key, `${path}.key`)];
}
