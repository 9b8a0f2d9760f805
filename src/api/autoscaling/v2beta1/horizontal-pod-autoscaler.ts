/** HorizontalPodAutoscaler in v2beta1: metrics say their target in one field each, and an annotation carries behavior. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { given } from "../../given.ts";
import { behaviorAnnotation, readBehavior, withCarried, withoutCarried, writeBehavior } from "../v1/carried.ts";
import { cpuUtilizationDefault, HorizontalPodAutoscaler as Hub } from "../v2beta2/horizontal-pod-autoscaler.ts";
import { metricFromHub, metricStatusFromHub, metricStatusToHub, metricToHub } from "./convert-metrics.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";

export const HorizontalPodAutoscalerCondition = struct("autoscaling.v2beta1.HorizontalPodAutoscalerCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type HorizontalPodAutoscalerCondition = Static<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerSpec = struct("autoscaling.v2beta1.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1),
  minReplicas: optional(int32()).at(2).default(1),
  maxReplicas: int32().at(3),
  metrics: elided(list(MetricSpec))
    .at(4)
    .default([{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: cpuUtilizationDefault } }]),
});
export type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta1.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1),
  lastScaleTime: optional(time()).at(2),
  currentReplicas: int32().at(3),
  desiredReplicas: int32().at(4),
  currentMetrics: list(MetricStatus).listed(false).at(5),
  conditions: list(HorizontalPodAutoscalerCondition).at(6),
});
export type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = version(Hub, {
  version: "v2beta1",
  fields: {
    spec: elided(HorizontalPodAutoscalerSpec).at(2),
    status: elided(HorizontalPodAutoscalerStatus).at(3),
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
        new Map(behavior ? [[behaviorAnnotation, writeBehavior(behavior)]] : []),
      ),
      ...given({
        spec: spec && { ...spec, metrics: (spec.metrics ?? []).map(metricFromHub) },
        status: status && { ...status, currentMetrics: (status.currentMetrics ?? []).map(metricStatusFromHub) },
      }),
    };
  },
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;
