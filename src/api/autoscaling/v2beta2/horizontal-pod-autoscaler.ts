/**
 * A HorizontalPodAutoscaler adjusts a number of replicas to metrics. Its strategy is declared for v2beta2, the most complete
 * version; it is stored as v1, which keeps the rest in annotations.
 */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { type FieldErrors, noErrors, required } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { carriedAnnotations, dropCarried } from "../v1/carried.ts";
import { HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus } from "./autoscaler-spec.ts";
import { fillBehavior } from "./behavior.ts";
import type { MetricSpec } from "./metrics.ts";
import { targetsText } from "./targets-text.ts";
import { validateSpec, validateStatus } from "./validate-autoscaler.ts";
import { metricRelations } from "./validate-metric.ts";
import { validateReferences } from "./validate-references.ts";

/** The target if no metric is given. */
export const cpuUtilizationDefault = 80;

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v2beta2",
  deprecated: { since: "1.23", removed: "1.26", replacement: "autoscaling/v2 HorizontalPodAutoscaler" },
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
  from: { "1.25": { stored: "autoscaling/v2" }, "1.36": { generation: true } },
  compat: { carried: carriedAnnotations },
  defaults({ metadata, spec }, environment) {
    // In this version everything has its own field.
    dropCarried(metadata, environment);
    if (spec === undefined) return;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(cpuUtilizationDefault)];
    if (spec.behavior) fillBehavior(spec.behavior);
  },
  relations: metricRelations,
  validate: ({ spec = noSpec }, environment) => [
    ...validateSpec(spec, environment.gates.enabled("HPAScaleToZero") ? 0 : 1),
    ...validateReferences(spec, undefined, environment),
    ...requireReplicas(spec, environment),
  ],
  validateUpdate: ({ spec = noSpec }, old, environment) => [
    ...validateSpec(spec, environment.gates.enabled("HPAScaleToZero") || old.spec?.minReplicas === 0 ? 0 : 1),
    ...validateReferences(spec, old.spec, environment),
    ...requireReplicas(spec, environment),
  ],
  columns: (column) => [
    nameColumn,
    column("Reference", ({ spec }) => `${spec?.scaleTargetRef.kind ?? ""}/${spec?.scaleTargetRef.name ?? ""}`),
    column("Targets", ({ spec, status }, { since }) =>
      targetsText(spec?.metrics ?? [], status?.currentMetrics ?? [], since("1.30")),
    ),
    column("MinPods", ({ spec }) => (spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas))),
    column("MaxPods", ({ spec }) => spec?.maxReplicas ?? 0),
    column("Replicas", ({ status }) => status?.currentReplicas ?? 0),
    ageColumn,
  ],
  subresources: [status({ validate: validateStatus })],
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;

const requireReplicas = ({ maxReplicas }: HorizontalPodAutoscalerSpec, environment: Environment): FieldErrors =>
  maxReplicas === 0 && has(environment, "requiredReplicas") ? [required("spec.maxReplicas")] : noErrors;

const noSpec: HorizontalPodAutoscalerSpec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 };

export const cpuMetric = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
