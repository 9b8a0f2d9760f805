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
import { type FieldError, invalid, required } from "../../machinery/status/field-error.ts";

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

/** A selector has one of its two forms. What it says is checked when it is read: an authorizer may understand more. */
export function selectorErrors({ fieldSelector, labelSelector }: ResourceAttributes): FieldError[] {
  return [
    ...formErrors("spec.resourceAttributes.fieldSelector", fieldSelector),
    ...formErrors("spec.resourceAttributes.labelSelector", labelSelector),
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
