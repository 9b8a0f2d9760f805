/** Reads metrics of pods and objects, and external metrics, through the aggregated metrics APIs. Values are thousandths. */

import { parseDuration } from "../../base/duration.ts";
import type { Client } from "../../client/contract.ts";
import { readRefusal } from "../../client/requests/refusals.ts";
import { milliValue, parseQuantity } from "../../machinery/values/quantity.ts";
import { timeMs } from "../parts/pods/state.ts";
import { messageOf } from "../plan.ts";

export interface PodMetric {
  readonly milli: number;
  readonly atMs: number;
  /** The length of the measurement. */
  readonly windowMs: number;
}

/** By the name of the pod. */
export type PodMetrics = Map<string, PodMetric>;

export interface MetricsApi {
  /** `container`: of that one alone; absent: of all together. */
  resource(namespace: string, selector: string, resource: string, container?: string): Promise<PodMetrics>;
  pods(namespace: string, selector: string, metric: string, metricSelector: string): Promise<PodMetrics>;
  /** `object`: "ingresses.networking.orch.io/main". */
  object(namespace: string, object: string, metric: string, metricSelector: string): Promise<number>;
  external(namespace: string, metric: string, selector: string): Promise<readonly number[]>;
}

const defaultWindowMs = 60_000;

/** Both versions have the same form for these requests. */
const customVersions: readonly string[] = ["v1beta2", "v1beta1"];

interface ApiGroup {
  readonly preferredVersion?: { readonly version?: string };
  readonly versions?: readonly { readonly version?: string }[];
}
interface PodMetricsList {
  readonly items?: readonly {
    readonly metadata: { readonly name: string };
    readonly timestamp?: string;
    readonly window?: string;
    readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
  }[];
}
interface MetricValueList {
  readonly items?: readonly {
    readonly describedObject?: { readonly name?: string };
    readonly timestamp?: string;
    readonly windowSeconds?: number;
    readonly value?: string;
  }[];
}

export function createMetricsApi(client: Client): MetricsApi {
  const group = (name: string) => client.vocabulary.group(`${name}.orch.io`);
  async function read<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== "");
    const text = new URLSearchParams(given).toString();
    const response = await client.fetch(text === "" ? path : `${path}?${text}`);
    if (response.ok) return (await response.json()) as T; // the metrics server's word
    throw await readRefusal(response);
  }
  /** As in v1.21: the supported version that the server prefers, looked up each time. */
  async function customVersion(): Promise<string> {
    const name = group("custom.metrics");
    const found = await read<ApiGroup>(`/apis/${name}`, {}).catch(() => undefined);
    const served = [found?.preferredVersion, ...(found?.versions ?? [])].flatMap((each) => each?.version ?? []);
    const version = served.find((each) => customVersions.includes(each));
    if (version === undefined) throw new Error(`no custom metrics API (${name}) registered`);
    return version;
  }
  const custom = async (namespace: string, object: string, metric: string) =>
    `/apis/${group("custom.metrics")}/${await customVersion()}/namespaces/${namespace}/${object}/${encodeURIComponent(metric)}`;

  return {
    async resource(namespace, labelSelector, resource, container) {
      const path = `/apis/${group("metrics")}/v1beta1/namespaces/${namespace}/pods`;
      const { items = [] } = await read<PodMetricsList>(path, { labelSelector }).catch((error: unknown) => {
        const why = `${messageOf(error)} (get pods.${group("metrics")})`;
        throw new Error(`unable to fetch metrics from resource metrics API: ${why}`, { cause: error });
      });
      const metrics: PodMetrics = new Map();
      for (const { metadata, timestamp, window, containers = [] } of items) {
        const counted = containers.filter(({ name }) => container === undefined || name === container);
        const usages = counted.map(({ usage }) => milliOf(usage?.[resource]));
        // A pod with a missing container is not measured.
        if (usages.length === 0 || usages.some((usage) => usage === undefined)) continue;
        metrics.set(metadata.name, {
          milli: usages.reduce<number>((sum, usage) => sum + (usage ?? 0), 0),
          atMs: timeMs(timestamp) ?? 0,
          windowMs: durationMs(window) ?? defaultWindowMs,
        });
      }
      if (metrics.size === 0) throw new Error("no metrics returned from resource metrics API");
      return metrics;
    },
    async pods(namespace, labelSelector, metric, metricLabelSelector) {
      const path = await custom(namespace, "pods/*", metric);
      const { items = [] } = await read<MetricValueList>(path, { labelSelector, metricLabelSelector });
      if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
      return new Map(
        items.map(({ describedObject, timestamp, windowSeconds, value }) => [
          describedObject?.name ?? "",
          {
            milli: milliOf(value) ?? 0,
            atMs: timeMs(timestamp) ?? 0,
            windowMs: windowSeconds === undefined ? defaultWindowMs : windowSeconds * 1000,
          },
        ]),
      );
    },
    async object(namespace, object, metric, metricLabelSelector) {
      const path = await custom(namespace, object, metric);
      const { items = [] } = await read<MetricValueList>(path, { metricLabelSelector });
      const milli = milliOf(items[0]?.value);
      if (milli === undefined) throw new Error("no metrics returned from custom metrics API");
      return milli;
    },
    async external(namespace, metric, labelSelector) {
      const path = `/apis/${group("external.metrics")}/v1beta1/namespaces/${namespace}/${encodeURIComponent(metric)}`;
      const { items = [] } = await read<MetricValueList>(path, { labelSelector });
      if (items.length === 0) throw new Error("no metrics returned from external metrics API");
      return items.map(({ value }) => milliOf(value) ?? 0);
    },
  };
}

/** Undefined: it is not there, or no number. */
export function milliOf(text: string | undefined): number | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity && Number(milliValue(quantity));
}

function durationMs(text: string | undefined): number | undefined {
  const nanos = text === undefined ? undefined : parseDuration(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}
