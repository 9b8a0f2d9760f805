/** What an autoscaler measures and what it found, in v2beta2. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, optional, quantity, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const MetricTarget = struct("autoscaling.v2beta2.MetricTarget", {
  type: string().at(1),
  value: optional(quantity()).at(2),
  averageValue: optional(quantity()).at(3),
  averageUtilization: optional(int32()).at(4),
});
export type MetricTarget = Static<typeof MetricTarget>;

export const ContainerResourceMetricSource = struct("autoscaling.v2beta2.ContainerResourceMetricSource", {
  name: string().at(1),
  target: MetricTarget.at(2),
  container: string().at(3),
});
export type ContainerResourceMetricSource = Static<typeof ContainerResourceMetricSource>;

export const MetricValueStatus = struct("autoscaling.v2beta2.MetricValueStatus", {
  value: optional(quantity()).at(1),
  averageValue: optional(quantity()).at(2),
  averageUtilization: optional(int32()).at(3),
});
export type MetricValueStatus = Static<typeof MetricValueStatus>;

export const ContainerResourceMetricStatus = struct("autoscaling.v2beta2.ContainerResourceMetricStatus", {
  name: string().at(1),
  current: MetricValueStatus.at(2),
  container: string().at(3),
});
export type ContainerResourceMetricStatus = Static<typeof ContainerResourceMetricStatus>;

export const CrossVersionObjectReference = struct("autoscaling.v2beta2.CrossVersionObjectReference", {
  kind: string().at(1),
  name: string().at(2),
  apiVersion: elided(string()).at(3),
});
export type CrossVersionObjectReference = Static<typeof CrossVersionObjectReference>;

export const MetricIdentifier = struct("autoscaling.v2beta2.MetricIdentifier", {
  name: string().at(1),
  selector: optional(LabelSelector).at(2),
});
export type MetricIdentifier = Static<typeof MetricIdentifier>;

export const ExternalMetricSource = struct("autoscaling.v2beta2.ExternalMetricSource", {
  metric: MetricIdentifier.at(1),
  target: MetricTarget.at(2),
});
export type ExternalMetricSource = Static<typeof ExternalMetricSource>;

export const ExternalMetricStatus = struct("autoscaling.v2beta2.ExternalMetricStatus", {
  metric: MetricIdentifier.at(1),
  current: MetricValueStatus.at(2),
});
export type ExternalMetricStatus = Static<typeof ExternalMetricStatus>;

export const ObjectMetricSource = struct("autoscaling.v2beta2.ObjectMetricSource", {
  describedObject: CrossVersionObjectReference.at(1),
  target: MetricTarget.at(2),
  metric: MetricIdentifier.at(3),
});
export type ObjectMetricSource = Static<typeof ObjectMetricSource>;

export const PodsMetricSource = struct("autoscaling.v2beta2.PodsMetricSource", {
  metric: MetricIdentifier.at(1),
  target: MetricTarget.at(2),
});
export type PodsMetricSource = Static<typeof PodsMetricSource>;

export const ResourceMetricSource = struct("autoscaling.v2beta2.ResourceMetricSource", {
  name: string().at(1),
  target: MetricTarget.at(2),
});
export type ResourceMetricSource = Static<typeof ResourceMetricSource>;

export const MetricSpec = struct("autoscaling.v2beta2.MetricSpec", {
  type: string().at(1),
  object: optional(ObjectMetricSource).at(2),
  pods: optional(PodsMetricSource).at(3),
  resource: optional(ResourceMetricSource).at(4),
  external: optional(ExternalMetricSource).at(5),
  containerResource: optional(ContainerResourceMetricSource).at(7),
});
export type MetricSpec = Static<typeof MetricSpec>;

export const ObjectMetricStatus = struct("autoscaling.v2beta2.ObjectMetricStatus", {
  metric: MetricIdentifier.at(1),
  current: MetricValueStatus.at(2),
  describedObject: CrossVersionObjectReference.at(3),
});
export type ObjectMetricStatus = Static<typeof ObjectMetricStatus>;

export const PodsMetricStatus = struct("autoscaling.v2beta2.PodsMetricStatus", {
  metric: MetricIdentifier.at(1),
  current: MetricValueStatus.at(2),
});
export type PodsMetricStatus = Static<typeof PodsMetricStatus>;

export const ResourceMetricStatus = struct("autoscaling.v2beta2.ResourceMetricStatus", {
  name: string().at(1),
  current: MetricValueStatus.at(2),
});
export type ResourceMetricStatus = Static<typeof ResourceMetricStatus>;

export const MetricStatus = struct("autoscaling.v2beta2.MetricStatus", {
  type: string().at(1),
  object: optional(ObjectMetricStatus).at(2),
  pods: optional(PodsMetricStatus).at(3),
  resource: optional(ResourceMetricStatus).at(4),
  external: optional(ExternalMetricStatus).at(5),
  containerResource: optional(ContainerResourceMetricStatus).at(7),
});
export type MetricStatus = Static<typeof MetricStatus>;
