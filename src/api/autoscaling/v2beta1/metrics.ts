/** What an autoscaler measures and what it found, in v2beta1. */

import { int32, optional, quantity, renamed, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { CrossVersionObjectReference as HubReference } from "../v2beta2/metrics.ts";

export const ContainerResourceMetricSource = struct("autoscaling.v2beta1.ContainerResourceMetricSource", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  targetAverageUtilization: optional(int32())
    .at(2)
    .doc("The average use over all pods to aim at, in percent of what they request; excludes targetAverageValue."),
  targetAverageValue: optional(quantity()).at(3).doc("The average value over all pods to aim at."),
  container: string().at(4).doc("The name of the container in the pods of the target."),
});
export type ContainerResourceMetricSource = Static<typeof ContainerResourceMetricSource>;

export const ContainerResourceMetricStatus = struct("autoscaling.v2beta1.ContainerResourceMetricStatus", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  currentAverageUtilization: optional(int32())
    .at(2)
    .doc("The average use over all pods that was last seen, in percent of what they request."),
  currentAverageValue: quantity().at(3).doc("The average value over all pods that was last seen."),
  container: string().at(4).doc("The name of the container in the pods of the target."),
});
export type ContainerResourceMetricStatus = Static<typeof ContainerResourceMetricStatus>;

export const CrossVersionObjectReference = renamed("autoscaling.v2beta1.CrossVersionObjectReference", HubReference);
export type CrossVersionObjectReference = Static<typeof CrossVersionObjectReference>;

export const ExternalMetricSource = struct("autoscaling.v2beta1.ExternalMetricSource", {
  metricName: string().at(1).doc("The name of the metric, as the metrics API has it."),
  metricSelector: optional(LabelSelector).at(2).doc("Labels that the series of the metric must have."),
  targetValue: optional(quantity()).at(3).doc("The target value of the metric, as a quantity. Required."),
  targetAverageValue: optional(quantity()).at(4).doc("The average value over all pods to aim at."),
});
export type ExternalMetricSource = Static<typeof ExternalMetricSource>;

export const ExternalMetricStatus = struct("autoscaling.v2beta1.ExternalMetricStatus", {
  metricName: string().at(1).doc("The name of the metric, as the metrics API has it."),
  metricSelector: optional(LabelSelector).at(2).doc("Labels that the series of the metric must have."),
  currentValue: quantity().at(3).doc("The value of the metric at the last check."),
  currentAverageValue: optional(quantity()).at(4).doc("The average value over all pods that was last seen."),
});
export type ExternalMetricStatus = Static<typeof ExternalMetricStatus>;

export const ObjectMetricSource = struct("autoscaling.v2beta1.ObjectMetricSource", {
  target: CrossVersionObjectReference.at(1).doc("The object that the metric describes."),
  metricName: string().at(2).doc("The name of the metric, as the metrics API has it."),
  targetValue: quantity().at(3).doc("The target value of the metric, as a quantity. Required."),
  selector: optional(LabelSelector).at(4).doc("Labels that the series of the metric must have."),
  averageValue: optional(quantity()).at(5).doc("The average value over all pods to aim at, in place of targetValue."),
});
export type ObjectMetricSource = Static<typeof ObjectMetricSource>;

export const PodsMetricSource = struct("autoscaling.v2beta1.PodsMetricSource", {
  metricName: string().at(1).doc("The name of the metric, as the metrics API has it."),
  targetAverageValue: quantity().at(2).doc("The average value over all pods to aim at."),
  selector: optional(LabelSelector).at(3).doc("Labels that the series of the metric must have."),
});
export type PodsMetricSource = Static<typeof PodsMetricSource>;

export const ResourceMetricSource = struct("autoscaling.v2beta1.ResourceMetricSource", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  targetAverageUtilization: optional(int32())
    .at(2)
    .doc("The average use over all pods to aim at, in percent of what they request; excludes targetAverageValue."),
  targetAverageValue: optional(quantity()).at(3).doc("The average value over all pods to aim at."),
});
export type ResourceMetricSource = Static<typeof ResourceMetricSource>;

export const MetricSpec = struct("autoscaling.v2beta1.MetricSpec", {
  type: string()
    .at(1)
    .doc(
      "Where the metric comes from: Object, Pods, Resource, ContainerResource or External; the field of the same name must be set.",
    ),
  object: optional(ObjectMetricSource).at(2).doc("A metric of one object, such as requests per second of an ingress."),
  pods: optional(PodsMetricSource).at(3).doc("A metric of every pod, averaged over all of them."),
  resource: optional(ResourceMetricSource).at(4).doc("CPU or memory of all containers of every pod."),
  external: optional(ExternalMetricSource)
    .at(5)
    .doc("A metric that does not belong to an object of the cluster, such as the length of a queue elsewhere."),
  containerResource: optional(ContainerResourceMetricSource)
    .at(7)
    .doc("CPU or memory of one container of every pod; needs the feature gate HPAContainerMetrics."),
});
export type MetricSpec = Static<typeof MetricSpec>;

export const ObjectMetricStatus = struct("autoscaling.v2beta1.ObjectMetricStatus", {
  target: CrossVersionObjectReference.at(1).doc("The object that the metric describes."),
  metricName: string().at(2).doc("The name of the metric, as the metrics API has it."),
  currentValue: quantity().at(3).doc("The value of the metric at the last check."),
  selector: optional(LabelSelector).at(4).doc("Labels that the series of the metric must have."),
  averageValue: optional(quantity()).at(5).doc("The average value over all pods that was last seen."),
});
export type ObjectMetricStatus = Static<typeof ObjectMetricStatus>;

export const PodsMetricStatus = struct("autoscaling.v2beta1.PodsMetricStatus", {
  metricName: string().at(1).doc("The name of the metric, as the metrics API has it."),
  currentAverageValue: quantity().at(2).doc("The average value over all pods that was last seen."),
  selector: optional(LabelSelector).at(3).doc("Labels that the series of the metric must have."),
});
export type PodsMetricStatus = Static<typeof PodsMetricStatus>;

export const ResourceMetricStatus = struct("autoscaling.v2beta1.ResourceMetricStatus", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  currentAverageUtilization: optional(int32())
    .at(2)
    .doc("The average use over all pods that was last seen, in percent of what they request."),
  currentAverageValue: quantity().at(3).doc("The average value over all pods that was last seen."),
});
export type ResourceMetricStatus = Static<typeof ResourceMetricStatus>;

export const MetricStatus = struct("autoscaling.v2beta1.MetricStatus", {
  type: string()
    .at(1)
    .doc(
      "Where the metric comes from: Object, Pods, Resource, ContainerResource or External; the field of the same name is set.",
    ),
  object: optional(ObjectMetricStatus)
    .at(2)
    .doc("A metric of one other object, such as the requests per second of an ingress."),
  pods: optional(PodsMetricStatus).at(3).doc("A metric of every pod, averaged over all of them."),
  resource: optional(ResourceMetricStatus).at(4).doc("CPU or memory of all containers of every pod."),
  external: optional(ExternalMetricStatus).at(5).doc("A metric that does not belong to an object of the cluster."),
  containerResource: optional(ContainerResourceMetricStatus).at(7).doc("CPU or memory of one container of every pod."),
});
export type MetricStatus = Static<typeof MetricStatus>;
