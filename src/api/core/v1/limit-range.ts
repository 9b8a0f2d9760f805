/** A LimitRange bounds and defaults what objects of a namespace may ask for. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, map, quantity, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const LimitRangeItem = struct("core.v1.LimitRangeItem", {
  type: string().at(1),
  max: elided(map(quantity())).at(2),
  min: elided(map(quantity())).at(3),
  default: elided(map(quantity())).at(4),
  defaultRequest: elided(map(quantity())).at(5),
  maxLimitRequestRatio: elided(map(quantity())).at(6),
});
export type LimitRangeItem = Static<typeof LimitRangeItem>;

export const LimitRangeSpec = struct("core.v1.LimitRangeSpec", {
  limits: list(LimitRangeItem).at(1),
});
export type LimitRangeSpec = Static<typeof LimitRangeSpec>;

export const LimitRange = kind({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  scope: "Namespaced",
  shortNames: ["limits"],
  doc: "A LimitRange bounds and defaults what objects of a namespace may ask for.",
  fields: {
    spec: elided(LimitRangeSpec).at(2),
  },
});
export type LimitRange = Static<typeof LimitRange>;
