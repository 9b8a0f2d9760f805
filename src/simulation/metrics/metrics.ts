/** What a metrics server would have measured on simulated nodes: computed for each request from pods and the clock. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { NodeMetrics } from "../../api/metrics/v1beta1/node-metrics.ts";
import type { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import { timeText } from "../../machinery/values/time.ts";
import { printUsage, type UsedResource, usageAnnotations, usageOf } from "./usage.ts";

/** The pods and nodes, as their controller knows them. */
interface MeasuredCluster {
  /** Those on simulated nodes that answer. */
  pods(): readonly Pod[];
  nodes(): readonly Node[];
  /** Annotations of what controls the pod, such as its replica set, and what stages declare for it. */
  otherAnnotations(pod: Pod): Readonly<Record<string, string>>;
  nowMs(): number;
}

/** How long a measurement is said to have taken. */
const windowText = "30s";
/** What a node uses besides its pods. */
const systemUsage: Readonly<Record<UsedResource, number>> = { cpu: 100, memory: 512 * 1024 * 1024 };
const resources: readonly UsedResource[] = ["cpu", "memory"];

export class SimulatedMetrics {
  #cluster: MeasuredCluster | undefined;

  /** The controller of the nodes has started; before, nothing is measured. */
  serve(cluster: MeasuredCluster): void {
    this.#cluster = cluster;
  }

  pods(): readonly PodMetrics[] {
    const cluster = this.#cluster;
    if (cluster === undefined) return [];
    const taken = { timestamp: timeText(cluster.nowMs()), window: windowText };
    return cluster
      .pods()
      .filter(isRunning)
      .map((pod): PodMetrics => {
        const { name = "", namespace = "", labels } = pod.metadata;
        const used = usages(cluster, pod);
        return {
          metadata: {
            name,
            namespace,
            creationTimestamp: taken.timestamp,
            ...(labels === undefined ? {} : { labels }),
          },
          ...taken,
          containers: used.map(({ container, ...usage }) => ({ name: container, usage: printed(usage) })),
        };
      });
  }

  nodes(): readonly NodeMetrics[] {
    const cluster = this.#cluster;
    if (cluster === undefined) return [];
    const taken = { timestamp: timeText(cluster.nowMs()), window: windowText };
    const byNode = new Map<string, Record<UsedResource, number>>();
    for (const pod of cluster.pods().filter(isRunning)) {
      const sum = byNode.get(pod.spec?.nodeName ?? "") ?? { ...systemUsage };
      for (const usage of usages(cluster, pod)) for (const resource of resources) sum[resource] += usage[resource];
      byNode.set(pod.spec?.nodeName ?? "", sum);
    }
    return cluster.nodes().map(
      ({ metadata: { name = "", labels } }): NodeMetrics => ({
        metadata: { name, creationTimestamp: taken.timestamp, ...(labels === undefined ? {} : { labels }) },
        ...taken,
        usage: printed(byNode.get(name) ?? systemUsage),
      }),
    );
  }
}

const isRunning = ({ status }: Pod): boolean => status?.phase === "Running";

type Usage = Record<UsedResource, number> & { readonly container: string };

function usages(cluster: MeasuredCluster, pod: Pod): readonly Usage[] {
  const others = cluster.otherAnnotations(pod);
  const elapsedMs = Math.max(0, cluster.nowMs() - (Date.parse(pod.status?.startTime ?? "") || 0));
  const used = (resource: UsedResource, requested: string | undefined) => {
    const key = usageAnnotations[resource];
    return usageOf(resource, pod.metadata.annotations?.[key] ?? others[key], { requested, elapsedMs });
  };
  return (pod.spec?.containers ?? []).map(({ name, resources: given }) => ({
    container: name,
    cpu: used("cpu", given?.requests?.["cpu"]),
    memory: used("memory", given?.requests?.["memory"]),
  }));
}

const printed = (usage: Readonly<Record<UsedResource, number>>): Record<string, string> =>
  Object.fromEntries(resources.map((resource) => [resource, printUsage(resource, usage[resource])]));
