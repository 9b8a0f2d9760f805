/** The fields of autoscalers. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, struct, time } from "../../../machinery/schema/build.ts";
import { conditionFields } from "../../common-fields.ts";
import { HorizontalPodAutoscalerBehavior } from "./behavior.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";

export const HorizontalPodAutoscalerCondition = struct("autoscaling.v2beta2.HorizontalPodAutoscalerCondition", {
  ...conditionFields("ScalingActive, AbleToScale or ScalingLimited."),
  observedGeneration: optional(int64())
    .at(6)
    .since("1.37")
    .doc("The metadata.generation that the condition was computed from."),
});
export type HorizontalPodAutoscalerCondition = Static<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerSpec = struct("autoscaling.v2beta2.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1).doc("The object whose scale subresource is changed."),
  minReplicas: optional(int32())
    .at(2)
    .default(1)
    .doc(
      "The lowest number of replicas. Default: 1; 0 needs the feature gate HPAScaleToZero and an object or external metric.",
    ),
  maxReplicas: int32()
    .at(3)
    .atLeast(1, "must be greater than 0")
    .doc("The highest number of replicas; at least minReplicas."),
  metrics: elided(list(MetricSpec))
    .at(4)
    .doc("What to measure; the metric that requires the most replicas wins. Default: 80 percent of the requested CPU."),
  behavior: optional(HorizontalPodAutoscalerBehavior)
    .at(5)
    .doc("How fast the number of replicas may rise and fall. Absent: the default rules."),
});
export type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

export const statusFields = {
  observedGeneration: optional(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  lastScaleTime: optional(time()).at(2).doc("When the number of replicas was last changed."),
  currentReplicas: int32().at(3).atLeast(0).doc("The number of replicas that was last seen."),
  desiredReplicas: int32().at(4).atLeast(0).doc("The number of replicas that was last computed."),
  currentMetrics: list(MetricStatus).listed(false).at(5).doc("The values of the metrics that were last read."),
  conditions: list(HorizontalPodAutoscalerCondition)
    .at(6)
    .from("1.23", (conditions) => conditions.listed(false))
    .doc("The current state of the object, one entry for each condition type."),
};

export const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta2.HorizontalPodAutoscalerStatus", statusFields);
export type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;
