/** The fields of disruption budgets. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  map,
  optional,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { validateAtMostAll, validatePart } from "../../apps/v1/part-rules.ts";
import { Condition } from "../../common-fields.ts";
import { ReplacedLabelSelector } from "../../meta/label-selector.ts";

export const PodDisruptionBudgetSpec = struct("policy.v1.PodDisruptionBudgetSpec", {
  minAvailable: optional(intOrString())
    .at(1)
    .checked(validatePart)
    .checked(validateAtMostAll)
    .doc(
      "How many pods, as a number or a percentage, must stay available during an eviction; excludes maxUnavailable.",
    ),
  selector: optional(ReplacedLabelSelector)
    .at(2)
    .checked(validateLabelSelector)
    .doc("Labels of the pods that are protected. Absent: none; empty: all pods of the namespace."),
  maxUnavailable: optional(intOrString())
    .at(3)
    .checked(validatePart)
    .checked(validateAtMostAll)
    .doc("How many pods, as a number or a percentage, may be unavailable after an eviction; excludes minAvailable."),
  unhealthyPodEvictionPolicy: optional(string())
    .at(4)
    .since("1.26")
    .behind("PDBUnhealthyPodEvictionPolicy")
    .oneOf(["IfHealthyBudget", "AlwaysAllow"])
    .doc(
      "When a pod that is running but not healthy may be evicted: IfHealthyBudget while enough others are healthy, or AlwaysAllow. Default: IfHealthyBudget.",
    ),
});
export type PodDisruptionBudgetSpec = Static<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = struct("policy.v1.PodDisruptionBudgetStatus", {
  observedGeneration: elided(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  disruptedPods: elided(map(time()))
    .at(2)
    .doc("Pods whose eviction was allowed but not yet seen by the controller, with the time."),
  disruptionsAllowed: int32().listed(false, "1.36").at(3).atLeast(0).doc("How many pods may be evicted now."),
  currentHealthy: int32().listed(false, "1.36").at(4).atLeast(0).doc("How many of the pods are healthy now."),
  desiredHealthy: int32().listed(false, "1.36").at(5).atLeast(0).doc("The lowest number of healthy pods."),
  expectedPods: int32().listed(false, "1.36").at(6).atLeast(0).doc("How many pods the budget counts in total."),
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(7)
    .uniqueBy("type")
    .doc("The current state of the object, one entry for each condition type."),
});
export type PodDisruptionBudgetStatus = Static<typeof PodDisruptionBudgetStatus>;
