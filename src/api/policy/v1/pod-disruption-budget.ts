/** A PodDisruptionBudget limits how many pods may be evicted at a time. */

import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  map,
  optional,
  type Static,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { ReplacedLabelSelector } from "../../meta/label-selector.ts";
import { dropNotes } from "./empty-selector.ts";
import { validateBudgetSpec, validateBudgetStatus } from "./validate-budget.ts";

export const PodDisruptionBudgetSpec = struct("policy.v1.PodDisruptionBudgetSpec", {
  minAvailable: optional(intOrString())
    .at(1)
    .doc(
      "How many pods, as a number or a percentage, must stay available during an eviction; excludes maxUnavailable.",
    ),
  selector: optional(ReplacedLabelSelector)
    .at(2)
    .doc("Labels of the pods that are protected. Absent: none; empty: all pods of the namespace."),
  maxUnavailable: optional(intOrString())
    .at(3)
    .doc("How many pods, as a number or a percentage, may be unavailable after an eviction; excludes minAvailable."),
});
export type PodDisruptionBudgetSpec = Static<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = struct("policy.v1.PodDisruptionBudgetStatus", {
  observedGeneration: elided(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  disruptedPods: elided(map(time()))
    .at(2)
    .doc("Pods whose eviction was allowed but not yet seen by the controller, with the time."),
  disruptionsAllowed: int32().at(3).doc("How many pods may be evicted now."),
  currentHealthy: int32().at(4).doc("How many of the pods are healthy now."),
  desiredHealthy: int32().at(5).doc("The lowest number of healthy pods."),
  expectedPods: int32().at(6).doc("How many pods the budget counts in total."),
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(7)
    .doc("The current state of the object, one entry for each condition type."),
});
export type PodDisruptionBudgetStatus = Static<typeof PodDisruptionBudgetStatus>;

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
  validate: ({ spec }) => validateBudgetSpec(spec ?? {}),
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
