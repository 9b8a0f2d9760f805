/** What an autoscaler measures and what it found, in v2beta2. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, optional, quantity, renamed, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { validateContainerResourceName } from "../../resource-names.ts";

export const MetricTarget = struct("autoscaling.v2beta2.MetricTarget", {
  type: string()
    .at(1)
    .required()
    .oneOf(["Utilization", "Value", "AverageValue"], "must be Utilization, Value or AverageValue")
    .openApiEnum("none")
    .evenEmpty()
    .doc("Utilization, Value or AverageValue; the field of the same name must be set."),
  value: optional(quantity())
    .at(2)
    .above(0, "must be positive")
    .doc("The target value of the metric, as a quantity; only for type Value."),
  averageValue: optional(quantity())
    .at(3)
    .above(0, "must be positive")
    .doc("The average value over all pods to aim at."),
  averageUtilization: optional(int32())
    .at(4)
    .atLeast(1, "must be greater than 0")
    .doc("The average use over all pods to aim at, in percent of what they request; only for resources."),
});
export type MetricTarget = Static<typeof MetricTarget>;

export const ContainerResourceMetricSource = struct("autoscaling.v2beta2.ContainerResourceMetricSource", {
  name: string().at(1).required().checked(validateContainerResourceName).doc("The resource, such as cpu or memory."),
  target: MetricTarget.at(2).doc(
    "The target of the metric: a value, an average over all pods, or an average utilization.",
  ),
  container: string().at(3).required().named("label").doc("The name of the container in the pods of the target."),
});
export type ContainerResourceMetricSource = Static<typeof ContainerResourceMetricSource>;

export const MetricValueStatus = struct("autoscaling.v2beta2.MetricValueStatus", {
  value: optional(quantity()).at(1).doc("The value of the metric at the last check."),
  averageValue: optional(quantity()).at(2).doc("The average value over all pods that was last seen."),
  averageUtilization: optional(int32())
    .at(3)
    .doc("The average use over all pods that was last seen, in percent of what they request."),
});
export type MetricValueStatus = Static<typeof MetricValueStatus>;

export const ContainerResourceMetricStatus = struct("autoscaling.v2beta2.ContainerResourceMetricStatus", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  current: MetricValueStatus.at(2).doc("The value of the metric at the last check."),
  container: string().at(3).doc("The name of the container in the pods of the target."),
});
export type ContainerResourceMetricStatus = Static<typeof ContainerResourceMetricStatus>;

export const CrossVersionObjectReference = struct("autoscaling.v2beta2.CrossVersionObjectReference", {
  kind: string().at(1).required().named("pathSegment").doc("The kind of the object, such as Deployment."),
  name: string().at(2).required().named("pathSegment").doc("The name of the object."),
  apiVersion: elided(string()).at(3).doc("The API version of the object, such as apps/v1."),
});
export type CrossVersionObjectReference = Static<typeof CrossVersionObjectReference>;

export const MetricIdentifier = struct("autoscaling.v2beta2.MetricIdentifier", {
  name: string().at(1).required().named("pathSegment").doc("The name of the metric, as the metrics API has it."),
  selector: optional(LabelSelector)
    .at(2)
    .doc("Labels that the series of the metric must have. Absent: only the name counts."),
});
export type MetricIdentifier = Static<typeof MetricIdentifier>;

export const ExternalMetricSource = struct("autoscaling.v2beta2.ExternalMetricSource", {
  metric: MetricIdentifier.at(1).doc("The name and labels of the metric."),
  target: MetricTarget.at(2).doc(
    "The target of the metric: a value, an average over all pods, or an average utilization.",
  ),
});
export type ExternalMetricSource = Static<typeof ExternalMetricSource>;

export const ExternalMetricStatus = struct("autoscaling.v2beta2.ExternalMetricStatus", {
  metric: MetricIdentifier.at(1).doc("The name and labels of the metric."),
  current: MetricValueStatus.at(2).doc("The value of the metric at the last check."),
});
export type ExternalMetricStatus = Static<typeof ExternalMetricStatus>;

export const ObjectMetricSource = struct("autoscaling.v2beta2.ObjectMetricSource", {
  describedObject: CrossVersionObjectReference.at(1).doc("The object that the metric describes."),
  target: MetricTarget.at(2).doc(
    "The target of the metric: a value, an average over all pods, or an average utilization.",
  ),
  metric: MetricIdentifier.at(3).doc("The name and labels of the metric."),
});
export type ObjectMetricSource = Static<typeof ObjectMetricSource>;

export const PodsMetricSource = renamed("autoscaling.v2beta2.PodsMetricSource", ExternalMetricSource);
export type PodsMetricSource = Static<typeof PodsMetricSource>;

export const ResourceMetricSource = struct("autoscaling.v2beta2.ResourceMetricSource", {
  name: string().at(1).required().doc("The resource, such as cpu or memory."),
  target: MetricTarget.at(2).doc(
    "The target of the metric: a value, an average over all pods, or an average utilization.",
  ),
});
export type ResourceMetricSource = Static<typeof ResourceMetricSource>;

export const MetricSpec = struct("autoscaling.v2beta2.MetricSpec", {
  type: string()
    .at(1)
    .required("must name a source")
    .oneOf(["ContainerResource", "External", "Object", "Pods", "Resource"])
    .openApiEnum("none")
    .evenEmpty()
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
    .behind("HPAContainerMetrics")
    .doc("CPU or memory of one container of every pod; needs the feature gate HPAContainerMetrics."),
});
export type MetricSpec = Static<typeof MetricSpec>;

export const ObjectMetricStatus = struct("autoscaling.v2beta2.ObjectMetricStatus", {
  metric: MetricIdentifier.at(1).doc("The name and labels of the metric."),
  current: MetricValueStatus.at(2).doc("The value of the metric at the last check."),
  describedObject: CrossVersionObjectReference.at(3).doc("The object that the metric describes."),
});
export type ObjectMetricStatus = Static<typeof ObjectMetricStatus>;

export const PodsMetricStatus = renamed("autoscaling.v2beta2.PodsMetricStatus", ExternalMetricStatus);
export type PodsMetricStatus = Static<typeof PodsMetricStatus>;

export const ResourceMetricStatus = struct("autoscaling.v2beta2.ResourceMetricStatus", {
  name: string().at(1).doc("The resource, such as cpu or memory."),
  current: MetricValueStatus.at(2).doc("The value of the metric at the last check."),
});
export type ResourceMetricStatus = Static<typeof ResourceMetricStatus>;

export const MetricStatus = struct("autoscaling.v2beta2.MetricStatus", {
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
