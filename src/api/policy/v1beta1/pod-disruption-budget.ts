/** PodDisruptionBudget in v1beta1: an empty selector takes no pods, where in v1 it takes all of them. */

import { elided, intOrString, optional, renamed, type Static, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { status, version } from "../../../machinery/schema/kind.ts";
import { isEmptySelector } from "../../apps/v1/workload-selector.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { PodDisruptionBudgetStatus as HubStatus } from "../v1/budget-spec.ts";
import { isNote, noteSelector } from "../v1/empty-selector.ts";
import { PodDisruptionBudget as Hub } from "../v1/pod-disruption-budget.ts";
import { validateBudgetConditions } from "../v1/validate-budget.ts";

const PodDisruptionBudgetSpec = struct("policy.v1beta1.PodDisruptionBudgetSpec", {
  minAvailable: optional(intOrString())
    .at(1)
    .doc(
      "How many pods, as a number or a percentage, must stay available during an eviction; excludes maxUnavailable.",
    ),
  // Patches merge into this selector, as they always did here.
  selector: optional(LabelSelector).at(2).doc("Labels of the pods that are protected. Absent or empty: none."),
  maxUnavailable: optional(intOrString())
    .at(3)
    .doc("How many pods, as a number or a percentage, may be unavailable after an eviction; excludes minAvailable."),
});
type PodDisruptionBudgetSpec = Static<typeof PodDisruptionBudgetSpec>;

const PodDisruptionBudgetStatus = renamed("policy.v1beta1.PodDisruptionBudgetStatus", HubStatus);

export const PodDisruptionBudget = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: elided(PodDisruptionBudgetSpec)
      .at(2)
      .doc("The desired state of the pod disruption budget, set by its users."),
    status: elided(PodDisruptionBudgetStatus)
      .at(3)
      .doc("The most recently observed state of the pod disruption budget, written by the system."),
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

/** Selects the pods of the other version's selector. */
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
