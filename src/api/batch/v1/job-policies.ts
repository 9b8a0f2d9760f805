/** When a failed pod counts, and when a job counts as succeeded: the policies of a job. */

import { since } from "../../../base/release.ts";
import {
  elided,
  int32,
  list,
  nullable,
  optional,
  printed,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";

/** At most this many rules of a policy, and conditions of a rule. */
export const policyRulesMax = 20;
const exitCodesMax = 255;

export const PodFailurePolicyOnExitCodesRequirement = struct("batch.v1.PodFailurePolicyOnExitCodesRequirement", {
  containerName: optional(string())
    .at(1)
    .before("1.28", nullable)
    .doc("Only the exit code of this container counts. Absent: that of every container."),
  operator: string()
    .at(2)
    .required()
    .oneOf(["In", "NotIn"])
    .doc("In: an exit code is one of the values; NotIn: one is not 0 and none of them."),
  values: list(int32(), { topology: "set" })
    .at(3)
    .max(exitCodesMax)
    .doc("Exit codes in rising order, without repetitions; 0 only with NotIn."),
});
export type PodFailurePolicyOnExitCodesRequirement = Static<typeof PodFailurePolicyOnExitCodesRequirement>;

const PodFailurePolicyOnPodConditionsPattern = struct("batch.v1.PodFailurePolicyOnPodConditionsPattern", {
  type: string().at(1).named("qualified").evenEmpty().doc("The type that the condition of the pod must have."),
  status: string()
    .at(2)
    .from("1.35", (status) => status.listed(false))
    .openApiEnum("none")
    .required()
    .oneOf(["False", "True", "Unknown"])
    .default("True")
    .doc("The status that the condition must have: True, False or Unknown. Default: True."),
});

export const PodFailurePolicyRule = struct("batch.v1.PodFailurePolicyRule", {
  action: string()
    .at(1)
    .required("must be Count, FailIndex, FailJob or Ignore")
    .oneOf(["Count", since("1.28", "FailIndex"), "FailJob", "Ignore"])
    .doc(
      "What happens to a pod that matches: Count it towards the limit, Ignore it, FailJob at once, or FailIndex without further retries.",
    ),
  onExitCodes: optional(PodFailurePolicyOnExitCodesRequirement)
    .at(2)
    .before("1.28", nullable)
    .doc("Exit codes of containers that the rule matches; excludes onPodConditions."),
  onPodConditions: elided(list(PodFailurePolicyOnPodConditionsPattern, { topology: "atomic" }))
    .at(3)
    .before("1.28", (conditions) => printed(conditions.listed(false)))
    .max(policyRulesMax)
    .doc("Conditions of pods, of which the rule matches any; excludes onExitCodes."),
});
export type PodFailurePolicyRule = Static<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = struct("batch.v1.PodFailurePolicy", {
  rules: list(PodFailurePolicyRule, { topology: "atomic" })
    .at(1)
    .max(policyRulesMax)
    .doc("Rules of which the first that matches a failed pod decides; a pod that none matches counts."),
});
export type PodFailurePolicy = Static<typeof PodFailurePolicy>;

export const SuccessPolicyRule = struct("batch.v1.SuccessPolicyRule", {
  succeededIndexes: optional(string()).at(1).doc("The indexes that must succeed, as in 1,3-5,7. Absent: any."),
  succeededCount: optional(int32())
    .at(2)
    .doc("How many indexes must succeed, of those in succeededIndexes if it is given. Absent: all of them."),
});
export type SuccessPolicyRule = Static<typeof SuccessPolicyRule>;

export const SuccessPolicy = struct("batch.v1.SuccessPolicy", {
  rules: list(SuccessPolicyRule, { topology: "atomic" })
    .at(1)
    .doc("Rules of which one that is met ends the job with success."),
});
export type SuccessPolicy = Static<typeof SuccessPolicy>;
