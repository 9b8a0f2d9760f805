/** PodDisruptionBudget in v1beta1: an empty selector takes no pods, where in v1 it takes all of them. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  map,
  optional,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { isEmptySelector } from "../../apps/v1/validate-workload.ts";
import { Condition } from "../../meta/condition.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { isNote, noteSelector } from "../v1/empty-selector.ts";
import { PodDisruptionBudget as Hub } from "../v1/pod-disruption-budget.ts";
import { validateBudgetConditions } from "../v1/validate-budget.ts";

export const PodDisruptionBudgetSpec = struct("policy.v1beta1.PodDisruptionBudgetSpec", {
  minAvailable: optional(intOrString()).at(1),
  // Patches merge into this selector, as they always did here.
  selector: optional(LabelSelector).at(2).doc("Absent or empty: no pods."),
  maxUnavailable: optional(intOrString()).at(3),
});
export type PodDisruptionBudgetSpec = Static<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = struct("policy.v1beta1.PodDisruptionBudgetStatus", {
  observedGeneration: elided(int64()).at(1),
  disruptedPods: elided(map(time())).at(2),
  disruptionsAllowed: int32().at(3),
  currentHealthy: int32().at(4),
  desiredHealthy: int32().at(5),
  expectedPods: int32().at(6),
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  ).at(7),
});
export type PodDisruptionBudgetStatus = Static<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: elided(PodDisruptionBudgetSpec).at(2),
    status: elided(PodDisruptionBudgetStatus).at(3),
  },
  subresources: [status({ validate: validateBudgetConditions })],
  toHub: ({ spec, ...rest }, environment) => ({
    ...rest,
    ...(spec ? { spec: withSelector(spec, "Exists", environment) } : {}),
  }),
  fromHub: ({ spec, ...rest }, environment) => ({
    ...rest,
    ...(spec ? { spec: withSelector(spec, "DoesNotExist", environment) } : {}),
  }),
  deprecated: { since: "1.21", removed: "1.25", replacement: "policy/v1 PodDisruptionBudget" },
});
export type PodDisruptionBudget = Static<typeof PodDisruptionBudget>;

/** The same pods in the other version. */
function withSelector(
  spec: PodDisruptionBudgetSpec,
  emptyBecomes: "Exists" | "DoesNotExist",
  environment: Environment,
): PodDisruptionBudgetSpec {
  const { selector } = spec;
  if (!selector) return spec;
  if (isEmptySelector(selector)) return { ...spec, selector: noteSelector(emptyBecomes, environment) };
  const opposite = emptyBecomes === "Exists" ? "DoesNotExist" : "Exists";
  return isNote(selector, opposite, environment) ? { ...spec, selector: {} } : spec;
}
