/** What an autoscaler acts on: the scale of its target, and its metrics. All of it is read from servers. */

import type { HorizontalPodAutoscalerBehavior } from "../../api/autoscaling/v2beta2/behavior.ts";
import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Client, ResourceAddress } from "../../client/contract.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { createScaleClient, type Scale } from "../parts/scale/scale-client.ts";
import { messageOf } from "../plan.ts";
import type { Settings } from "../settings.ts";
import { asksMetrics, type MetricReading } from "./decision.ts";
import { createMeasure, type MeasureInput } from "./measure.ts";
import { createMetricsApi, milliOf } from "./metrics-api.ts";
import type { Tolerance } from "./replica-count.ts";

export interface ScaleTarget {
  readonly address: ResourceAddress;
  readonly scale: Scale;
}

export type ObservedScale =
  /** The target has no scale that can be read. */
  | { readonly failure: string }
  /** `lacksSelector`: nothing says which pods are the target's, so no metric was read. */
  | { readonly target: ScaleTarget; readonly readings: readonly MetricReading[]; readonly lacksSelector: boolean };

interface ObserverOptions {
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly settings: Settings;
}

export function createObserver({ client, pods, settings }: ObserverOptions) {
  const scales = createScaleClient(client);
  const measure = createMeasure(createMetricsApi(client), scales);

  async function findTarget({ metadata, spec }: HorizontalPodAutoscaler): Promise<ScaleTarget> {
    const { scaleTargetRef: target = { kind: "", name: "" } } = spec ?? {};
    const address = await scales.addressOf(target);
    if (address === undefined)
      throw new Error(`no matches for kind "${target.kind}" in version "${target.apiVersion}"`);
    return { address, scale: await scales.get(address, { namespace: metadata.namespace, name: target.name }) };
  }

  function measureInput({ metadata, spec }: HorizontalPodAutoscaler, scale: Scale, nowMs: number): MeasureInput {
    const { namespace = "" } = metadata;
    const { selector = "", replicas: statusReplicas = 0 } = scale.status ?? {};
    return {
      namespace,
      selector,
      pods: pods.select(namespace, parseLabelSelector(selector)),
      currentReplicas: scale.spec?.replicas ?? 0,
      statusReplicas,
      settings: {
        tolerance: toleranceOf(spec?.behavior, settings.horizontalPodAutoscalerTolerance),
        cpuInitializationPeriodMs: settings.horizontalPodAutoscalerCpuInitializationPeriodMs,
        initialReadinessDelayMs: settings.horizontalPodAutoscalerInitialReadinessDelayMs,
        nowMs,
      },
    };
  }

  /** One after the other; a metric that cannot be read leaves the others as they are. */
  async function readMetrics(
    autoscaler: HorizontalPodAutoscaler,
    input: MeasureInput,
  ): Promise<readonly MetricReading[]> {
    const readings: MetricReading[] = [];
    for (const metric of autoscaler.spec?.metrics ?? []) {
      try {
        readings.push({ metric, measured: await measure(metric, input) });
      } catch (error) {
        readings.push({ metric, failure: messageOf(error) });
      }
    }
    return readings;
  }

  return async (autoscaler: HorizontalPodAutoscaler, nowMs: number): Promise<ObservedScale> => {
    let target: ScaleTarget;
    try {
      target = await findTarget(autoscaler);
    } catch (error) {
      return { failure: messageOf(error) };
    }
    const { scale } = target;
    if (!asksMetrics(autoscaler, scale.spec?.replicas ?? 0)) return { target, readings: [], lacksSelector: false };
    if (!scale.status?.selector) {
      const readings = (autoscaler.spec?.metrics ?? []).map((metric) => ({ metric, failure: "selector is required" }));
      return { target, readings, lacksSelector: true };
    }
    const readings = await readMetrics(autoscaler, measureInput(autoscaler, scale, nowMs));
    return { target, readings, lacksSelector: false };
  };
}

/** Without a tolerance of its own an autoscaler has that of all. */
function toleranceOf(behavior: HorizontalPodAutoscalerBehavior | undefined, common: number): Tolerance {
  const own = (quantity: string | undefined) => {
    const milli = milliOf(quantity);
    return milli === undefined ? common : milli / 1_000;
  };
  return { up: own(behavior?.scaleUp?.tolerance), down: own(behavior?.scaleDown?.tolerance) };
}
