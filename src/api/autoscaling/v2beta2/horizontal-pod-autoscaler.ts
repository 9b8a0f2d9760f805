/**
 * A HorizontalPodAutoscaler adjusts a number of replicas to metrics. Its strategy is declared for v2beta2, the most complete
 * version; it is stored as v1, which keeps the rest in annotations.
 */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { carriedAnnotations, dropCarried } from "../v1/carried.ts";
import { fillBehavior, HorizontalPodAutoscalerBehavior } from "./behavior.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";
import { targetsText } from "./targets-text.ts";
import { validateSpec, validateStatus } from "./validate-autoscaler.ts";

export const HorizontalPodAutoscalerCondition = struct("autoscaling.v2beta2.HorizontalPodAutoscalerCondition", {
  type: string().at(1).doc("ScalingActive, AbleToScale or ScalingLimited."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastTransitionTime: elided(time()).at(3).doc("When status last changed from one value to another."),
  reason: elided(string()).at(4).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(5).doc("A sentence for people about the last change; may be empty."),
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
  maxReplicas: int32().at(3).doc("The highest number of replicas; at least minReplicas."),
  metrics: elided(list(MetricSpec))
    .at(4)
    .doc("What to measure; the metric that requires the most replicas wins. Default: 80 percent of the requested CPU."),
  behavior: optional(HorizontalPodAutoscalerBehavior)
    .at(5)
    .doc("How fast the number of replicas may rise and fall. Absent: the default rules."),
});
export type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta2.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  lastScaleTime: optional(time()).at(2).doc("When the number of replicas was last changed."),
  currentReplicas: int32().at(3).doc("The number of replicas that was last seen."),
  desiredReplicas: int32().at(4).doc("The number of replicas that was last computed."),
  currentMetrics: list(MetricStatus).listed(false).at(5).doc("The values of the metrics that were last read."),
  conditions: list(HorizontalPodAutoscalerCondition, {
    from: { "1.23": { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" } },
  })
    .from("1.23", elided)
    .at(6)
    .doc("The current state of the object, one entry for each condition type."),
});
export type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;

/** The target if no metric is given. */
export const cpuUtilizationDefault = 80;

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v2beta2",
  until: "1.26",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  doc: "A HorizontalPodAutoscaler adjusts a number of replicas to what metrics say.",
  fields: {
    spec: elided(HorizontalPodAutoscalerSpec)
      .at(2)
      .doc("The desired state of the horizontal pod autoscaler, set by its users."),
    status: elided(HorizontalPodAutoscalerStatus)
      .at(3)
      .doc("The most recently observed state of the horizontal pod autoscaler, written by the system."),
  },
  stored: "autoscaling/v1",
  from: { "1.25": { stored: "autoscaling/v2" } },
  compat: { carried: carriedAnnotations },
  defaults({ metadata, spec }, environment) {
    // In this version everything has its own field.
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
