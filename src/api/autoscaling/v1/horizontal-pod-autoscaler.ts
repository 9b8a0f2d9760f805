/** A HorizontalPodAutoscaler adjusts a number of replicas to what metrics say. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";

export const CrossVersionObjectReference = struct("autoscaling.v1.CrossVersionObjectReference", {
  kind: string().at(1),
  name: string().at(2),
  apiVersion: elided(string()).at(3),
});
export type CrossVersionObjectReference = Static<typeof CrossVersionObjectReference>;

export const HorizontalPodAutoscalerSpec = struct("autoscaling.v1.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1),
  minReplicas: optional(int32()).at(2),
  maxReplicas: int32().at(3),
  targetCPUUtilizationPercentage: optional(int32()).at(4),
});
export type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = struct("autoscaling.v1.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1),
  lastScaleTime: optional(time()).at(2),
  currentReplicas: int32().at(3),
  desiredReplicas: int32().at(4),
  currentCPUUtilizationPercentage: optional(int32()).at(5),
});
export type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  doc: "A HorizontalPodAutoscaler adjusts a number of replicas to what metrics say.",
  fields: {
    spec: elided(HorizontalPodAutoscalerSpec).at(2),
    status: elided(HorizontalPodAutoscalerStatus).at(3),
  },
  subresources: [status()],
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;
