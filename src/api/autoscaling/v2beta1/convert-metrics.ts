/** Metrics of v2beta1, which v1 carries in annotations, to those of v2beta2 and back. */

import { given } from "../../../machinery/json/json-value.ts";
import type * as Hub from "../v2beta2/metrics.ts";
import type * as Flat from "./metrics.ts";

/** The amount in a version that requires one, if there is none. */
const none = "0";

export function metricToHub({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: Flat.MetricSpec): Hub.MetricSpec {
  return given({
    type,
    object: object && {
      describedObject: object.target,
      target: given({
        type: object.averageValue === undefined ? "Value" : "AverageValue",
        value: object.targetValue,
        averageValue: object.averageValue,
      }),
      metric: given({ name: object.metricName, selector: object.selector }),
    },
    pods: pods && {
      metric: given({ name: pods.metricName, selector: pods.selector }),
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: resourceTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: given({ name: external.metricName, selector: external.metricSelector }),
      target: given({
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  });
}

function resourceTarget(source: Flat.ResourceMetricSource): Hub.MetricTarget {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  return given({
    type: averageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue,
    averageUtilization,
  });
}

export function metricFromHub(metric: Hub.MetricSpec): Flat.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return given({
    type,
    object:
      object &&
      given({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? none,
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      given({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? none,
        selector: pods.metric.selector,
      }),
    resource: resource && flatResource(resource),
    containerResource: containerResource && {
      ...flatResource(containerResource),
      container: containerResource.container,
    },
    external:
      external &&
      given({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  });
}

const flatResource = ({ name, target }: Hub.ResourceMetricSource): Flat.ResourceMetricSource =>
  given({
    name,
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
  });

export function metricStatusToHub(status: Flat.MetricStatus): Hub.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return given({
    type,
    object: object && {
      metric: given({ name: object.metricName, selector: object.selector }),
      current: given({ value: object.currentValue, averageValue: object.averageValue }),
      describedObject: object.target,
    },
    pods: pods && {
      metric: given({ name: pods.metricName, selector: pods.selector }),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: resourceCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: resourceCurrent(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: given({ name: external.metricName, selector: external.metricSelector }),
      current: given({ value: external.currentValue, averageValue: external.currentAverageValue }),
    },
  });
}

const resourceCurrent = (resource: Flat.ResourceMetricStatus): Hub.MetricValueStatus =>
  given({
    averageValue: resource.currentAverageValue,
    averageUtilization: resource.currentAverageUtilization,
  });

export function metricStatusFromHub(status: Hub.MetricStatus): Flat.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return given({
    type,
    object:
      object &&
      given({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? none,
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      given({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? none,
        selector: pods.metric.selector,
      }),
    resource: resource && flatStatus(resource),
    containerResource: containerResource && {
      ...flatStatus(containerResource),
      container: containerResource.container,
    },
    external:
      external &&
      given({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? none,
        currentAverageValue: external.current.averageValue,
      }),
  });
}

const flatStatus = ({ name, current }: Hub.ResourceMetricStatus): Flat.ResourceMetricStatus =>
  given({
    name,
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? none,
  });
