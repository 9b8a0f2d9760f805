/** The selectors that an access review asks about. */

import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../api/authorization/v1/review-spec.ts";
import {
  type ReadSelector,
  readFieldRequirements,
  readFieldSelector,
  readLabelRequirements,
  readLabelSelector,
} from "../../authz/selectors.ts";
import { isLabelValue, isQualifiedName } from "../../machinery/meta/names.ts";
import { selectorTermsMax } from "../../machinery/selectors/limits.ts";
import { type FieldError, forbidden, invalid, required, tooMany } from "../../machinery/status/field-error.ts";

/** Absent: the review has no such selector. */
interface ReviewSelectors {
  readonly fields?: ReadSelector;
  readonly labels?: ReadSelector;
}

export function selectorsOf({ resourceAttributes: asked }: SubjectAccessReviewSpec): ReviewSelectors {
  const { fieldSelector: fields, labelSelector: labels } = asked ?? {};
  return {
    ...(fields ? { fields: read(fields, readFieldSelector, readFieldRequirements) } : {}),
    ...(labels ? { labels: read(labels, readLabelSelector, readLabelRequirements) } : {}),
  };
}

type Attributes = FieldSelectorAttributes | LabelSelectorAttributes;
type Requirements = NonNullable<Attributes["requirements"]>;

function read(
  { rawSelector, requirements }: Attributes,
  ofText: (text: string) => ReadSelector,
  ofList: (list: Requirements) => ReadSelector,
): ReadSelector {
  return rawSelector ? ofText(rawSelector) : ofList(requirements ?? []);
}

/** A selector has one of its two forms. A text is checked when it is read, and an authorizer may know more operators. */
export function selectorErrors({ fieldSelector, labelSelector }: ResourceAttributes): FieldError[] {
  const fields = "spec.resourceAttributes.fieldSelector";
  const labels = "spec.resourceAttributes.labelSelector";
  return [
    ...formErrors(fields, fieldSelector),
    ...requirementErrors(fields, fieldSelector, fieldErrors),
    ...formErrors(labels, labelSelector),
    ...requirementErrors(labels, labelSelector, labelErrors),
  ];
}

function formErrors(path: string, selector: Attributes | undefined): FieldError[] {
  if (!selector) return [];
  const { rawSelector, requirements } = selector;
  const count = requirements?.length ?? 0;
  if (rawSelector && count > 0)
    return [invalid(`${path}.rawSelector`, rawSelector, "cannot be given together with requirements")];
  return rawSelector || count > 0 ? [] : [required(`${path}.requirements`, "a selector must have requirements")];
}

type CheckRequirement = (requirement: Requirements[number], path: string) => FieldError[];

/** A request may have at most `selectorTermsMax` requirements, so a question about more is refused. */
function requirementErrors(path: string, selector: Attributes | undefined, check: CheckRequirement): FieldError[] {
  const count = selector?.requirements?.length ?? 0;
  if (count > selectorTermsMax) return [tooMany(`${path}.requirements`, count, selectorTermsMax)];
  return (selector?.requirements ?? []).flatMap((requirement, index) => {
    const at = `${path}.requirements[${index}]`;
    return [...valueErrors(requirement, `${at}.values`), ...check(requirement, at)];
  });
}

/** How many values the operators that are known here have. */
function valueErrors({ operator, values }: Requirements[number], path: string): FieldError[] {
  const count = values?.length ?? 0;
  if (operator === "In" || operator === "NotIn")
    return count > 0 ? [] : [required(path, `the operator ${operator} needs a value`)];
  if (operator === "Exists" || operator === "DoesNotExist")
    return count === 0 ? [] : [forbidden(path, `the operator ${operator} has no values`)];
  return [];
}

const fieldErrors: CheckRequirement = ({ key }, path) => (key ? [] : [required(`${path}.key`)]);

const labelErrors: CheckRequirement = ({ key, values }, path) => [
  ...isQualifiedName(key ?? "").map((problem) => invalid(`${path}.key`, key ?? "", problem)),
  ...(values ?? []).flatMap((value, index) =>
    isLabelValue(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
  ),
];
