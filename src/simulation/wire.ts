/** simulated-nodes: the agents of nodes without machines, which make their pods run. */

import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { keyOf } from "../client/informer/keys.ts";
import type { Controller, ControllerContext } from "../controllers/contract.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import { type Plan, remove, updateStatus } from "../controllers/plan.ts";
import { PodAddresses } from "./addresses.ts";
import type { NodeAgents } from "./agent/node-agents.ts";
import { behaviourOf } from "./behaviour.ts";
import { startHeartbeats } from "./heartbeats.ts";
import type { SimulatedMetrics } from "./metrics/metrics.ts";
import { failedAnnotation, type NodeOptions, nodeAddress, nodeName, nodeNameAt, simulatedLabel } from "./node.ts";
import { nextStep } from "./pod-life.ts";
import { StepsSince } from "./steps-since.ts";

const podWorkers = 16;

/** What the server has of the nodes, if it is in the same process. */
export interface ServedParts {
  /** By which the server reaches the nodes. */
  readonly agents: NodeAgents;
  /** What it says about their usage. */
  readonly metrics: SimulatedMetrics;
}

export const createSimulatedNodes = (options: NodeOptions, served?: ServedParts): Controller => ({
  name: "simulated-nodes",
  start(context) {
    const { informers } = context;
    const [nodes, pods] = [informers.of(Node), informers.of(Pod)];
    const positions = new Map(Array.from({ length: options.count }, (_, at) => [nodeName(at), at]));
    const isAlive = (name: string) => {
      const node = nodes.get(name);
      return (
        node?.metadata.labels?.[simulatedLabel] === "true" && node.metadata.annotations?.[failedAnnotation] !== "true"
      );
    };
    const queue = context.queue({
      workers: podWorkers,
      after: [nodes, pods],
      sync: createPodSync(context, (name) => (isAlive(name) ? positions.get(name) : undefined)),
    });
    const see = (pod: Pod) => {
      if (positions.has(pod.spec?.nodeName ?? "")) queue.add(keyOf(pod));
    };
    pods.on({ add: see, update: see });
    // A node that works again continues with its pods.
    nodes.on({
      update(node, old) {
        const wasFailed = old.metadata.annotations?.[failedAnnotation] === "true";
        if (!wasFailed || !isAlive(node.metadata.name ?? "")) return;
        for (const pod of pods.list()) if (pod.spec?.nodeName === node.metadata.name) queue.add(keyOf(pod));
      },
    });
    startHeartbeats(context, options, { positions, isAlive });
    served?.agents.serve({
      hasNode: (host) => positions.has(nodeNameAt(host)) && nodes.get(nodeNameAt(host)) !== undefined,
      isAlive: (host) => isAlive(nodeNameAt(host)),
      find(namespace, name) {
        const pod = pods.get(`${namespace}/${name}`);
        return positions.has(pod?.spec?.nodeName ?? "") && isAlive(pod?.spec?.nodeName ?? "") ? pod : undefined;
      },
    });
    const owners = [informers.of(ReplicaSet), informers.of(StatefulSet)];
    served?.metrics.serve({
      pods: () =>
        pods.list().filter(({ spec }) => positions.has(spec?.nodeName ?? "") && isAlive(spec?.nodeName ?? "")),
      nodes: () => [...positions.keys()].filter(isAlive).flatMap((name) => nodes.get(name) ?? []),
      ownerAnnotations(pod) {
        const owner = controllerOf(pod);
        const found = owners.map((each) => each.get(`${pod.metadata.namespace ?? ""}/${owner?.name ?? ""}`));
        return found.find((each) => each?.metadata.uid === owner?.uid)?.metadata.annotations;
      },
      nowMs: () => context.clock.now(),
    });
    return queue;
  },
});

function createPodSync(context: ControllerContext, positionOf: (node: string) => number | undefined) {
  const { informers, clock } = context;
  const pods = informers.of(Pod);
  const byAddress = pods.index("address", ({ status }) => (status?.podIP ? [status.podIP] : []));
  const addresses = new PodAddresses();
  const since = new StepsSince();
  /** The resourceVersion that the newest write of a pod began from, as long as the informer shows it. */
  const writtenFrom = new Map<string, string>();
  pods.on({
    delete(pod) {
      since.forget(pod);
      writtenFrom.delete(keyOf(pod));
    },
  });
  return (key: string): Plan | undefined => {
    const pod = pods.get(key);
    const position = positionOf(pod?.spec?.nodeName ?? "");
    if (pod === undefined || position === undefined) return undefined;
    const { uid, resourceVersion = "" } = pod.metadata;
    // What was written is not seen yet: the change that will show it calls this again.
    if (writtenFrom.get(key) === resourceVersion) return undefined;
    writtenFrom.delete(key);
    const ref = { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
    if (pod.metadata.deletionTimestamp != null) {
      return { writes: [remove(Pod, ref, { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) })] };
    }
    const nowMs = clock.now();
    const { status, reviewInMs } = nextStep(pod, behaviourOf(pod), {
      nowMs,
      sinceMs: since.of(pod, nowMs),
      takeAddress: () =>
        pod.spec?.hostNetwork ? nodeAddress(position) : addresses.take((address) => byAddress.count(address) > 0),
      hostIP: nodeAddress(position),
    });
    if (status === undefined) return { reviewInMs };
    const changed = { ...pod, status };
    if (pod.status?.containerStatuses?.[0]?.state?.running === undefined || status.phase !== pod.status?.phase)
      since.record(changed, nowMs);
    return {
      status: updateStatus(Pod, changed, { tolerates: ["NotFound"] }),
      reviewInMs,
      next: () => {
        if (pods.get(key)?.metadata.resourceVersion === resourceVersion) writtenFrom.set(key, resourceVersion);
        return undefined;
      },
    };
  };
}
