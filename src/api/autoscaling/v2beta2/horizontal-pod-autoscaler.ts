/**
 * A HorizontalPodAutoscaler adjusts a number of replicas to what metrics say. Its life is written for v2beta2, the version
 * that can say everything; it is stored as v1, which carries the rest in annotations.
 */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { carriedAnnotations, dropCarried } from "../v1/carried.ts";
import { fillBehavior, HorizontalPodAutoscalerBehavior } from "./behavior.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";
import { targetsText } from "./targets-text.ts";
import { validateSpec, validateStatus } from "./validate-autoscaler.ts";

export const HorizontalPodAutoscalerCondition = struct("autoscaling.v2beta2.HorizontalPodAutoscalerCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type HorizontalPodAutoscalerCondition = Static<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerSpec = struct("autoscaling.v2beta2.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1),
  minReplicas: optional(int32()).at(2).default(1),
  maxReplicas: int32().at(3),
  metrics: elided(list(MetricSpec)).at(4),
  behavior: optional(HorizontalPodAutoscalerBehavior).at(5),
});
export type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta2.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1),
  lastScaleTime: optional(time()).at(2),
  currentReplicas: int32().at(3),
  desiredReplicas: int32().at(4),
  currentMetrics: list(MetricStatus).listed(false).at(5),
  conditions: list(HorizontalPodAutoscalerCondition).at(6),
});
export type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;

/** What counts where nobody says how much CPU is too much. */
export const cpuUtilizationDefault = 80;

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v2beta2",
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
  stored: "autoscaling/v1",
  carried: carriedAnnotations,
  defaults({ metadata, spec }, environment) {
    // Here everything has a field of its own.
    dropCarried(metadata, environment);
    if (spec === undefined) return;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(cpuUtilizationDefault)];
    if (spec.behavior) fillBehavior(spec.behavior);
  },
  prepareForCreate(autoscaler, { gates }) {
    if (!gates.enabled("HPAContainerMetrics")) dropContainerMetrics(autoscaler.spec);
  },
  prepareForUpdate(autoscaler, old, { gates }) {
    const isUsed = (old.spec?.metrics ?? []).some(({ containerResource }) => containerResource !== undefined);
    if (!gates.enabled("HPAContainerMetrics") && !isUsed) dropContainerMetrics(autoscaler.spec);
  },
  validate: ({ spec }, { gates }) => validateSpec(spec ?? noSpec, gates.enabled("HPAScaleToZero") ? 0 : 1),
  validateUpdate: ({ spec }, old, { gates }) =>
    validateSpec(spec ?? noSpec, gates.enabled("HPAScaleToZero") || old.spec?.minReplicas === 0 ? 0 : 1),
  columns: (column) => [
    nameColumn,
    column("Reference", ({ spec }) => `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`),
    column("Targets", ({ spec, status }) => targetsText(spec?.metrics ?? [], status?.currentMetrics ?? [])),
    column("MinPods", ({ spec }) => (spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas))),
    column("MaxPods", ({ spec }) => spec?.maxReplicas ?? 0),
    column("Replicas", ({ status }) => status?.currentReplicas ?? 0),
    ageColumn,
  ],
  subresources: [status({ validate: validateStatus })],
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;

const noSpec: HorizontalPodAutoscalerSpec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 };

export const cpuMetric = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

function dropContainerMetrics(spec: HorizontalPodAutoscalerSpec | undefined): void {
  for (const metric of spec?.metrics ?? []) delete metric.containerResource;
}
