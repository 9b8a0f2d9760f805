/** What an autoscaler measures and what it found, in v2beta1. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, optional, quantity, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const ContainerResourceMetricSource = struct("autoscaling.v2beta1.ContainerResourceMetricSource", {
  name: string().at(1),
  targetAverageUtilization: optional(int32()).at(2),
  targetAverageValue: optional(quantity()).at(3),
  container: string().at(4),
});
export type ContainerResourceMetricSource = Static<typeof ContainerResourceMetricSource>;

export const ContainerResourceMetricStatus = struct("autoscaling.v2beta1.ContainerResourceMetricStatus", {
  name: string().at(1),
  currentAverageUtilization: optional(int32()).at(2),
  currentAverageValue: quantity().at(3),
  container: string().at(4),
});
export type ContainerResourceMetricStatus = Static<typeof ContainerResourceMetricStatus>;

export const CrossVersionObjectReference = struct("autoscaling.v2beta1.CrossVersionObjectReference", {
  kind: string().at(1),
  name: string().at(2),
  apiVersion: elided(string()).at(3),
});
export type CrossVersionObjectReference = Static<typeof CrossVersionObjectReference>;

export const ExternalMetricSource = struct("autoscaling.v2beta1.ExternalMetricSource", {
  metricName: string().at(1),
  metricSelector: optional(LabelSelector).at(2),
  targetValue: optional(quantity()).at(3),
  targetAverageValue: optional(quantity()).at(4),
});
export type ExternalMetricSource = Static<typeof ExternalMetricSource>;

export const ExternalMetricStatus = struct("autoscaling.v2beta1.ExternalMetricStatus", {
  metricName: string().at(1),
  metricSelector: optional(LabelSelector).at(2),
  currentValue: quantity().at(3),
  currentAverageValue: optional(quantity()).at(4),
});
export type ExternalMetricStatus = Static<typeof ExternalMetricStatus>;

export const ObjectMetricSource = struct("autoscaling.v2beta1.ObjectMetricSource", {
  target: CrossVersionObjectReference.at(1),
  metricName: string().at(2),
  targetValue: quantity().at(3),
  selector: optional(LabelSelector).at(4),
  averageValue: optional(quantity()).at(5),
});
export type ObjectMetricSource = Static<typeof ObjectMetricSource>;

export const PodsMetricSource = struct("autoscaling.v2beta1.PodsMetricSource", {
  metricName: string().at(1),
  targetAverageValue: quantity().at(2),
  selector: optional(LabelSelector).at(3),
});
export type PodsMetricSource = Static<typeof PodsMetricSource>;

export const ResourceMetricSource = struct("autoscaling.v2beta1.ResourceMetricSource", {
  name: string().at(1),
  targetAverageUtilization: optional(int32()).at(2),
  targetAverageValue: optional(quantity()).at(3),
});
export type ResourceMetricSource = Static<typeof ResourceMetricSource>;

export const MetricSpec = struct("autoscaling.v2beta1.MetricSpec", {
  type: string().at(1),
  object: optional(ObjectMetricSource).at(2),
  pods: optional(PodsMetricSource).at(3),
  resource: optional(ResourceMetricSource).at(4),
  external: optional(ExternalMetricSource).at(5),
  containerResource: optional(ContainerResourceMetricSource).at(7),
});
export type MetricSpec = Static<typeof MetricSpec>;

export const ObjectMetricStatus = struct("autoscaling.v2beta1.ObjectMetricStatus", {
  target: CrossVersionObjectReference.at(1),
  metricName: string().at(2),
  currentValue: quantity().at(3),
  selector: optional(LabelSelector).at(4),
  averageValue: optional(quantity()).at(5),
});
export type ObjectMetricStatus = Static<typeof ObjectMetricStatus>;

export const PodsMetricStatus = struct("autoscaling.v2beta1.PodsMetricStatus", {
  metricName: string().at(1),
  currentAverageValue: quantity().at(2),
  selector: optional(LabelSelector).at(3),
});
export type PodsMetricStatus = Static<typeof PodsMetricStatus>;

export const ResourceMetricStatus = struct("autoscaling.v2beta1.ResourceMetricStatus", {
  name: string().at(1),
  currentAverageUtilization: optional(int32()).at(2),
  currentAverageValue: quantity().at(3),
});
export type ResourceMetricStatus = Static<typeof ResourceMetricStatus>;

export const MetricStatus = struct("autoscaling.v2beta1.MetricStatus", {
  type: string().at(1),
  object: optional(ObjectMetricStatus).at(2),
  pods: optional(PodsMetricStatus).at(3),
  resource: optional(ResourceMetricStatus).at(4),
  external: optional(ExternalMetricStatus).at(5),
  containerResource: optional(ContainerResourceMetricStatus).at(7),
});
export type MetricStatus = Static<typeof MetricStatus>;
