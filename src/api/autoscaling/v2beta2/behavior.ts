/** How fast an autoscaler may change a number of replicas. */

import { int32, list, optional, quantity, type Static, string, struct } from "../../../machinery/schema/build.ts";

const stabilizationSecondsMax = 3600;
const periodSecondsMax = 1800;

const HPAScalingPolicy = struct("autoscaling.v2beta2.HPAScalingPolicy", {
  type: string()
    .at(1)
    .oneOf(["Percent", "Pods"])
    .openApiEnum("none")
    .doc("Pods: value is a number of pods. Percent: value is a percentage of the current replicas."),
  value: int32()
    .at(2)
    .atLeast(1, "must be greater than 0")
    .doc("How much may change within periodSeconds; greater than 0."),
  periodSeconds: int32()
    .at(3)
    .atLeast(1, "must be greater than 0")
    .atMost(periodSecondsMax, `must be less than or equal to ${periodSecondsMax}`)
    .doc("The length of the period in seconds, 1 to 1800."),
});

export const HPAScalingRules = struct("autoscaling.v2beta2.HPAScalingRules", {
  selectPolicy: optional(string())
    .at(1)
    .oneOf(["Disabled", "Max", "Min"])
    .openApiEnum("none")
    .doc("Which policy counts: Max, Min, or Disabled to never scale in this direction. Default: Max."),
  // An empty list is refused; an absent one gets the default policies.
  policies: optional(list(HPAScalingPolicy, { keepsEmpty: true }))
    .at(2)
    .required("must have at least one policy")
    .doc("How much may change in which time; at least one."),
  stabilizationWindowSeconds: optional(int32())
    .at(3)
    .atLeast(0, "must be greater than or equal to 0")
    .atMost(stabilizationSecondsMax, `must be less than or equal to ${stabilizationSecondsMax}`)
    .doc(
      "Seconds for which past recommendations are considered, 0 to 3600, to avoid flapping. Default: 0 for scaling up, 300 for scaling down.",
    ),
  tolerance: optional(quantity())
    .at(4)
    .since("1.33")
    .atLeast(0)
    .behind("HPAConfigurableTolerance")
    .doc(
      "How far the use may be from its target before the number changes: 0.05 is 5 percent. Default: that of the controller.",
    ),
});
export type HPAScalingRules = Static<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = struct("autoscaling.v2beta2.HorizontalPodAutoscalerBehavior", {
  scaleUp: optional(HPAScalingRules)
    .at(1)
    .doc("Rules for more replicas. Absent: the higher of 4 pods and 100 percent every 15 seconds."),
  scaleDown: optional(HPAScalingRules)
    .at(2)
    .doc("Rules for fewer replicas. Absent: down to minReplicas after a stabilization window of 300 seconds."),
});
export type HorizontalPodAutoscalerBehavior = Static<typeof HorizontalPodAutoscalerBehavior>;

/** Fills in the rest of a behaviour that is given in part. In place. */
export function fillBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
  behavior.scaleUp = { ...scaleUpDefaults(), ...behavior.scaleUp };
  behavior.scaleDown = { ...scaleDownDefaults(), ...behavior.scaleDown };
}

/** Doubles the number every quarter of a minute, or adds four, whichever is more. */
const scaleUpDefaults = (): HPAScalingRules => ({
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
  stabilizationWindowSeconds: 0,
});

/** How long past recommendations count is the controller's own setting. */
const scaleDownDefaults = (): HPAScalingRules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
});
