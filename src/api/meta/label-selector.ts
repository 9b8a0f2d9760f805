/** A label selector as objects carry it. */

import type { Static } from "../../machinery/schema/build.ts";
import { elided, list, map, string, struct } from "../../machinery/schema/build.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { Field } from "../../machinery/schema/schema.ts";

export const LabelSelectorRequirement = struct("meta.v1.LabelSelectorRequirement", {
  key: string().at(1).doc("The label."),
  operator: string().at(2).doc("In, NotIn, Exists or DoesNotExist."),
  values: elided(list(string())).at(3).doc("What In and NotIn compare with; nothing for the other two."),
});
export type LabelSelectorRequirement = Static<typeof LabelSelectorRequirement>;

export const LabelSelector = struct(
  "meta.v1.LabelSelector",
  {
    matchLabels: elided(map(string())).at(1).doc("Labels an object must have."),
    matchExpressions: elided(list(LabelSelectorRequirement)).at(2).doc("Conditions on labels; all must hold."),
  },
  { topology: "atomic" },
);
export type LabelSelector = Static<typeof LabelSelector>;

/** The same type where a strategic merge patch replaces it as a whole. */
export const ReplacedLabelSelector = new Field<LabelSelector, "required">(
  { ...(LabelSelector.schema as StructSchema), patchStrategy: "replace" }, // struct() has made it
  "required",
);
