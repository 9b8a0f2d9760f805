/** A PodDisruptionBudget limits how many pods may be evicted at a time. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "./budget-spec.ts";
import { dropNotes } from "./empty-selector.ts";
import { validateBudgetStatus } from "./validate-budget.ts";

export const PodDisruptionBudget = kind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  scope: "Namespaced",
  shortNames: ["pdb"],
  doc: "A PodDisruptionBudget limits how many pods may be evicted at a time.",
  fields: {
    spec: elided(PodDisruptionBudgetSpec)
      .at(2)
      .doc("The desired state of the pod disruption budget, set by its users."),
    status: elided(PodDisruptionBudgetStatus)
      .at(3)
      .doc("The most recently observed state of the pod disruption budget, written by the system."),
  },
  stored: "policy/v1beta1",
  name: "pathSegment",
  generation: true,
  // A budget is only evaluated on an observed state.
  unconditionalUpdate: false,
  plainFinalizers: true,
  compat: { metadataLast: true },
  prepareForCreate: ({ spec }, environment) => dropNotes(spec?.selector, environment),
  prepareForUpdate: ({ spec }, _old, environment) => dropNotes(spec?.selector, environment),
  relations: [
    on(PodDisruptionBudgetSpec, (spec) =>
      spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
        ? [invalid("", spec, "must not have both minAvailable and maxUnavailable")]
        : noErrors,
    ),
  ],
  columns: (column) => [
    nameColumn,
    column("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
    column("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
    column("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0, { type: "integer" }),
    ageColumn,
  ],
  subresources: [status({ validate: validateBudgetStatus })],
});
export type PodDisruptionBudget = Static<typeof PodDisruptionBudget>;
