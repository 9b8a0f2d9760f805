/** How fast an autoscaler may change a number of replicas. */

import type { Static } from "../../../machinery/schema/build.ts";
import { int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";

export const HPAScalingPolicy = struct("autoscaling.v2beta2.HPAScalingPolicy", {
  type: string().at(1),
  value: int32().at(2),
  periodSeconds: int32().at(3),
});
export type HPAScalingPolicy = Static<typeof HPAScalingPolicy>;

export const HPAScalingRules = struct("autoscaling.v2beta2.HPAScalingRules", {
  selectPolicy: optional(string()).at(1),
  // Who gives none at all is refused; who does not say gets the usual ones.
  policies: optional(list(HPAScalingPolicy, { keepsEmpty: true })).at(2),
  stabilizationWindowSeconds: optional(int32())
    .at(3)
    .doc("For how many seconds past recommendations count, so that numbers do not flap."),
});
export type HPAScalingRules = Static<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = struct("autoscaling.v2beta2.HorizontalPodAutoscalerBehavior", {
  scaleUp: optional(HPAScalingRules).at(1),
  scaleDown: optional(HPAScalingRules).at(2),
});
export type HorizontalPodAutoscalerBehavior = Static<typeof HorizontalPodAutoscalerBehavior>;

/** Whoever says something about the pace gets the rest of it as it would be anyway. In place. */
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
