/** The fields of limit ranges. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, list, quantity, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { resourceList } from "../../common-fields.ts";

export const LimitRangeItem = struct(
  "core.v1.LimitRangeItem",
  {
    type: string()
      .at(1)
      .named(typeProblems)
      .doc("The type of object that is limited: Pod, Container or PersistentVolumeClaim."),
    max: elided(resourceList()).at(2).doc("The highest limit allowed, by resource."),
    min: elided(resourceList()).at(3).doc("The lowest request allowed, by resource."),
    default: elided(resourceList()).at(4).doc("The limit of containers that set none, by resource."),
    defaultRequest: elided(resourceList()).at(5).doc("The request of containers that set none, by resource."),
    maxLimitRequestRatio: elided(resourceList(quantity().atLeast(1, "must be at least 1")))
      .at(6)
      .doc("The highest ratio of limit to request, by resource."),
  },
  { defaults: fillContainerDefaults },
);
export type LimitRangeItem = Static<typeof LimitRangeItem>;

export const LimitRangeSpec = struct("core.v1.LimitRangeSpec", {
  limits: list(LimitRangeItem, { keepsEmpty: true })
    .at(1)
    .uniqueBy("type")
    .doc("The limits that are enforced, one item for each type of object."),
});
export type LimitRangeSpec = Static<typeof LimitRangeSpec>;

const types = ["Pod", "Container", "PersistentVolumeClaim"];

function typeProblems(type: string): readonly string[] {
  const problems = isQualifiedName(type);
  if (problems.length > 0 || type.includes("/") || types.includes(type)) return problems;
  return ["must be a standard limit type or fully qualified"];
}

type Amounts = Record<string, string>;

interface Item {
  type: string;
  max?: Amounts;
  min?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
}

/** Containers without requests get the maximum as their limit, and the minimum as their request. */
function fillContainerDefaults(item: Item): void {
  if (item.type !== "Container") return;
  const limits: Amounts = { ...item.max, ...item.default };
  const requests: Amounts = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
