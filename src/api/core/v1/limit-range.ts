/** A LimitRange limits and defaults the resources that objects of a namespace request. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { type LimitRangeItem, LimitRangeSpec } from "./limit-range-spec.ts";
import { limitRelations } from "./validate-limits.ts";

export const LimitRange = kind({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  scope: "Namespaced",
  shortNames: ["limits"],
  doc: "A LimitRange limits and defaults the resources that objects of a namespace request.",
  fields: {
    spec: elided(LimitRangeSpec).at(2).doc("The desired state of the limit range, set by its users."),
  },
  createOnUpdate: true,
  // The only kind whose objects need no name.
  compat: { nameForUnnamed: (environment) => environment.randomUid() },
  complete: withoutEmptyLimits,
  relations: limitRelations,
});
export type LimitRange = Static<typeof LimitRange>;

/** An empty list that was sent has an owner, but is stored as none. */
function withoutEmptyLimits<R extends { spec?: { limits: LimitRangeItem[] | null } }>(range: R): R {
  return range.spec?.limits?.length === 0 ? { ...range, spec: { ...range.spec, limits: null } } : range;
}
