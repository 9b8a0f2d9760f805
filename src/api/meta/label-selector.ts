/** A label selector as objects carry it. */

import { validateLabelSelector } from "../../machinery/meta/label-selector.ts";
import { isLabelValue } from "../../machinery/meta/names.ts";
import { elided, list, map, type Static, string, struct } from "../../machinery/schema/build.ts";
import { Field, type StructSchema } from "../../machinery/schema/schema.ts";

export const LabelSelectorRequirement = struct("meta.v1.LabelSelectorRequirement", {
  key: string()
    .at(1)
    .before("1.28", (key) => key.with({ schema: { type: "string", patchStrategy: "merge", patchMergeKey: "key" } }))
    .doc("The key of the label that the requirement is about. Required."),
  operator: string().at(2).doc("In, NotIn, Exists or DoesNotExist."),
  values: elided(list(string())).at(3).doc("Values for In and NotIn; must be empty for Exists and DoesNotExist."),
});
export type LabelSelectorRequirement = Static<typeof LabelSelectorRequirement>;

export const LabelSelector = struct(
  "meta.v1.LabelSelector",
  {
    matchLabels: elided(map(string())).at(1).doc("Labels that an object must have, with these values."),
    matchExpressions: elided(list(LabelSelectorRequirement)).at(2).doc("Requirements on labels; all must match."),
  },
  { topology: "atomic" },
);
export type LabelSelector = Static<typeof LabelSelector>;

/** A selector that a strategic merge patch replaces as a whole. */
export const ReplacedLabelSelector = new Field<LabelSelector, "required">(
  { ...(LabelSelector.schema as StructSchema), patchStrategy: "replace" }, // struct() has made it
  "required",
);

/** Whether its values are also valid label values, which validation does not check. An absent selector is valid: it matches nothing. */
export const isSoundSelector = (selector: LabelSelector | null | undefined): boolean =>
  validateLabelSelector(selector, "").length === 0 &&
  (selector?.matchExpressions ?? []).every(({ values }) =>
    (values ?? []).every((value) => isLabelValue(value).length === 0),
  );
