/** HorizontalPodAutoscaler in v2beta1: metrics say their target in one field each, and an annotation carries behavior. */

import { given } from "../../../machinery/json/json-value.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, renamed, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { behaviorAnnotation, readBehavior, withCarried, withoutCarried, writeBehavior } from "../v1/carried.ts";
import { HorizontalPodAutoscalerCondition as HubCondition } from "../v2beta2/autoscaler-spec.ts";
import { cpuUtilizationDefault, HorizontalPodAutoscaler as Hub } from "../v2beta2/horizontal-pod-autoscaler.ts";
import { metricFromHub, metricStatusFromHub, metricStatusToHub, metricToHub } from "./convert-metrics.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";

export const HorizontalPodAutoscalerCondition = renamed(
  "autoscaling.v2beta1.HorizontalPodAutoscalerCondition",
  HubCondition,
);
export type HorizontalPodAutoscalerCondition = Static<typeof HorizontalPodAutoscalerCondition>;

const HorizontalPodAutoscalerSpec = struct("autoscaling.v2beta1.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1).doc("The object whose scale subresource is changed."),
  minReplicas: optional(int32())
    .at(2)
    .default(1)
    .doc(
      "The lowest number of replicas. Default: 1; 0 needs the feature gate HPAScaleToZero and an object or external metric.",
    ),
  maxReplicas: int32().at(3).doc("The highest number of replicas; at least minReplicas."),
  metrics: elided(list(MetricSpec))
    .at(4)
    .default([{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: cpuUtilizationDefault } }])
    .doc("What to measure; the metric that requires the most replicas wins. Default: 80 percent of the requested CPU."),
});

const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta1.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  lastScaleTime: optional(time()).at(2).doc("When the number of replicas was last changed."),
  currentReplicas: int32().at(3).doc("The number of replicas that was last seen."),
  desiredReplicas: int32().at(4).doc("The number of replicas that was last computed."),
  currentMetrics: list(MetricStatus).listed(false).at(5).doc("The values of the metrics that were last read."),
  conditions: list(HorizontalPodAutoscalerCondition)
    .at(6)
    .from("1.23", (conditions) => conditions.listed(false))
    .doc("The current state of the object, one entry for each condition type."),
});

export const HorizontalPodAutoscaler = version(Hub, {
  version: "v2beta1",
  deprecated: { since: "1.22", removed: "1.25", replacement: "autoscaling/v2beta2 HorizontalPodAutoscaler" },
  from: {
    "1.23": {
      deprecated: { since: "1.22", removed: "1.25", replacement: "autoscaling/v2 HorizontalPodAutoscaler" },
    },
  },
  fields: {
    spec: elided(HorizontalPodAutoscalerSpec)
      .at(2)
      .doc("The desired state of the horizontal pod autoscaler, set by its users."),
    status: elided(HorizontalPodAutoscalerStatus)
      .at(3)
      .doc("The most recently observed state of the horizontal pod autoscaler, written by the system."),
  },
  // The hub drops annotations that this version reads.
  defaults: () => {},
  toHub({ metadata, spec, status }, environment) {
    const behavior = readBehavior(metadata, environment);
    return {
      metadata: withoutCarried(metadata, environment),
      ...given({
        spec: spec && given({ ...spec, metrics: (spec.metrics ?? []).map(metricToHub), behavior }),
        status: status && { ...status, currentMetrics: (status.currentMetrics ?? []).map(metricStatusToHub) },
      }),
    };
  },
  fromHub({ metadata, spec, status }, environment) {
    const behavior = spec?.behavior;
    return {
      metadata: withCarried(
        metadata,
        environment,
        new Map(behavior ? [[behaviorAnnotation, writeBehavior(behavior, environment)]] : []),
      ),
      ...given({
        spec: spec && { ...spec, metrics: (spec.metrics ?? []).map(metricFromHub) },
        status: status && { ...status, currentMetrics: (status.currentMetrics ?? []).map(metricStatusFromHub) },
      }),
    };
  },
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;
