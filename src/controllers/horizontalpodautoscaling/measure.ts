/** One metric of an autoscaler: reads it, and computes the recommended number of replicas. */

import type { MetricSpec, MetricStatus, MetricTarget } from "../../api/autoscaling/v2beta2/metrics.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { selectorQuery } from "../../api/meta/selector-text.ts";
import type { ScaleClient } from "../parts/scale/scale-client.ts";
import { messageOf } from "../plan.ts";
import { type MetricsApi, milliOf, type PodMetrics } from "./metrics-api.ts";
import {
  type CountSettings,
  countByAverage,
  countByShare,
  countByUtilization,
  countByValue,
  type Proposal,
} from "./replica-count.ts";

export interface Measured {
  readonly replicas: number;
  /** As events name it: "cpu resource utilization (percentage of request)". */
  readonly name: string;
  readonly status: MetricStatus;
}

export interface MeasureInput {
  readonly namespace: string;
  /** Selects the pods of the target, as text. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly currentReplicas: number;
  /** The number that the target reports. */
  readonly statusReplicas: number;
  readonly settings: CountSettings;
}

/** The reason that reports a failure. */
export const failureReason = ({ type }: MetricSpec): string => {
  const known = ["Resource", "ContainerResource", "Pods", "Object", "External"];
  return known.includes(type) ? `FailedGet${type}Metric` : "InvalidMetricSourceType";
};

const milliText = (milli: number) => (milli % 1000 === 0 ? String(milli / 1000) : `${Math.round(milli)}m`);

/** Where metrics and the objects that they describe are found. */
interface Sources {
  readonly api: MetricsApi;
  readonly scales: ScaleClient;
}

export function createMeasure(api: MetricsApi, scales: ScaleClient) {
  const sources: Sources = { api, scales };
  return async (metric: MetricSpec, input: MeasureInput): Promise<Measured> => {
    const { resource, containerResource, pods, object, external } = metric;
    if (resource !== undefined) return await ofResource(sources, resource, input);
    if (containerResource !== undefined) return await ofResource(sources, containerResource, input);
    if (pods !== undefined) return await ofPods(sources, pods, input);
    if (object !== undefined) return await ofObject(sources, object, input);
    if (external !== undefined) return await ofExternal(sources, external, input);
    throw new Error(`unknown metric source type "${metric.type}"`);
  };
}

interface ResourceSource {
  readonly name: string;
  readonly container?: string;
  readonly target: MetricTarget;
}

async function ofResource({ api }: Sources, source: ResourceSource, input: MeasureInput): Promise<Measured> {
  const { name, container } = source;
  const { namespace, selector } = input;
  const failed = `failed to get ${name} ${source.target.averageValue === undefined ? "utilization" : "usage"}`;
  const metrics = await api.resource(namespace, selector, name, container).catch((error: unknown) => {
    throw new Error(`${failed}: unable to get metrics for resource ${name}: ${messageOf(error)}`, { cause: error });
  });
  const [proposal, what] = resourceProposal(source, metrics, input);
  const current = {
    averageValue: milliText(proposal.averageMilli),
    ...(proposal.utilization === undefined ? {} : { averageUtilization: proposal.utilization }),
  };
  if (container === undefined) {
    const status: MetricStatus = { type: "Resource", resource: { name, current } };
    return { replicas: proposal.replicas, name: `${name} resource${what}`, status };
  }
  const status: MetricStatus = { type: "ContainerResource", containerResource: { name, container, current } };
  return { replicas: proposal.replicas, name: `${name} container resource${what}`, status };
}

/** With it, what the name of the metric has after the resource. */
function resourceProposal(
  { name, container, target }: ResourceSource,
  metrics: PodMetrics,
  { pods, currentReplicas, settings }: MeasureInput,
): [Proposal, string] {
  if (target.averageValue !== undefined) {
    const goal = { resource: name, milli: milliOf(target.averageValue) ?? 0 };
    return [countByAverage(currentReplicas, pods, metrics, goal, settings), ""];
  }
  if (target.averageUtilization === undefined) {
    throw new Error("invalid resource metric source: neither a utilization target nor a value target was set");
  }
  const goal = { resource: name, container, utilization: target.averageUtilization };
  const proposal = countByUtilization(currentReplicas, pods, metrics, goal, settings);
  return [proposal, " utilization (percentage of request)"];
}

async function ofPods(
  { api }: Sources,
  { metric, target }: NonNullable<MetricSpec["pods"]>,
  input: MeasureInput,
): Promise<Measured> {
  const { namespace, selector, pods, currentReplicas, settings } = input;
  const metrics = await api.pods(namespace, selector, metric.name, selectorQuery(metric.selector));
  const goal = { resource: "", milli: milliOf(target.averageValue) ?? 0 };
  const { replicas, averageMilli } = countByAverage(currentReplicas, pods, metrics, goal, settings);
  const status: MetricStatus = { type: "Pods", pods: { metric, current: { averageValue: milliText(averageMilli) } } };
  return { replicas, name: `pods metric ${metric.name}`, status };
}

async function ofObject(
  { api, scales }: Sources,
  source: NonNullable<MetricSpec["object"]>,
  input: MeasureInput,
): Promise<Measured> {
  const { metric, describedObject, target } = source;
  const address = await scales.addressOf(describedObject);
  if (address === undefined) throw new Error(`unable to map kind ${describedObject.kind} to a resource`);
  const resource = address.group === "" ? address.resource : `${address.resource}.${address.group}`;
  const place = describedObject.kind === "Namespace" ? "metrics" : `${resource}/${describedObject.name}`;
  const milli = await api.object(input.namespace, place, metric.name, selectorQuery(metric.selector));
  const { replicas, current } = shared(milli, target, input);
  const status: MetricStatus = { type: "Object", object: { metric, describedObject, current } };
  return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status };
}

async function ofExternal(
  { api }: Sources,
  { metric, target }: NonNullable<MetricSpec["external"]>,
  input: MeasureInput,
): Promise<Measured> {
  const selector = selectorQuery(metric.selector);
  const values = await api.external(input.namespace, metric.name, selector);
  const { replicas, current } = shared(
    values.reduce((sum, value) => sum + value, 0),
    target,
    input,
  );
  const status: MetricStatus = { type: "External", external: { metric, current } };
  return { replicas, name: `external metric ${metric.name}(${selector})`, status };
}

/** One value for all pods. */
function shared(milli: number, target: MetricTarget, input: MeasureInput) {
  const { currentReplicas, statusReplicas, pods, settings } = input;
  if (target.averageValue !== undefined) {
    const goal = milliOf(target.averageValue) ?? 0;
    const replicas = countByShare(statusReplicas, milli, goal, settings.tolerance);
    return { replicas, current: { averageValue: milliText(Math.ceil(milli / Math.max(1, statusReplicas))) } };
  }
  const goal = milliOf(target.value);
  if (goal === undefined)
    throw new Error("invalid metric source: neither a value target nor an average value target was set");
  const replicas = countByValue(currentReplicas, milli / goal, pods, settings.tolerance);
  return { replicas, current: { value: milliText(milli) } };
}
