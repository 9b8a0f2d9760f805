/** simulated-nodes: the agents of nodes without machines, which make their pods run. */

import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { keyOf } from "../client/informer/keys.ts";
import type { Controller, ControllerContext } from "../controllers/contract.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import { create, type Plan, patch, remove, updateStatus } from "../controllers/plan.ts";
import { microTimeText } from "../machinery/values/time.ts";
import { PodAddresses } from "./addresses.ts";
import type { NodeAgents } from "./agent/node-agents.ts";
import { behaviourOf } from "./behaviour.ts";
import type { SimulatedMetrics } from "./metrics/metrics.ts";
import {
  failedAnnotation,
  type NodeOptions,
  nodeAddress,
  nodeName,
  nodeNameAt,
  nodeOf,
  nodeStatus,
  simulatedLabel,
} from "./node.ts";
import { nextStep } from "./pod-life.ts";
import { StepsSince } from "./steps-since.ts";

/** As real agents: how often a node renews its lease, for how long that holds, and how often it repeats its status. */
const leaseRenewMs = 10_000;
const leaseSeconds = 40;
const statusRepeatMs = 300_000;
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
  return (key: string): Plan | undefined => {
    const pod = pods.get(key);
    const position = positionOf(pod?.spec?.nodeName ?? "");
    if (pod === undefined || position === undefined) return undefined;
    const { uid } = pod.metadata;
    const ref = { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
    if (pod.metadata.deletionTimestamp != null) {
      since.forget(pod);
      return { writes: [remove(Pod, ref, { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) })] };
    }
    const nowMs = clock.now();
    const { status, reviewInMs } = nextStep(pod, behaviourOf(pod), {
      nowMs,
      sinceMs: since.of(pod, nowMs),
      podIP: pod.spec?.hostNetwork ? nodeAddress(position) : addresses.take((address) => byAddress.count(address) > 0),
      hostIP: nodeAddress(position),
    });
    if (status === undefined) return { reviewInMs };
    const changed = { ...pod, status };
    if (pod.status?.containerStatuses?.[0]?.state?.running === undefined || status.phase !== pod.status?.phase)
      since.record(changed, nowMs);
    return { status: updateStatus(Pod, changed, { tolerates: ["NotFound"] }), reviewInMs };
  };
}

interface Agents {
  readonly positions: ReadonlyMap<string, number>;
  isAlive(name: string): boolean;
}

/** Nodes that do not exist are registered once; one that is deleted later stays away, as if its machine was gone. */
function startHeartbeats(context: ControllerContext, options: NodeOptions, { positions, isAlive }: Agents): void {
  const { informers, clock, vocabulary, every } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const nodes = informers.of(Node);
  const leases = informers.of(Lease, { namespace });
  const queue = context.queue({
    name: "simulated-nodes-registration",
    workers: podWorkers,
    after: [nodes, leases],
    sync(name): Plan | undefined {
      const at = positions.get(name) ?? 0;
      if (nodes.get(name) !== undefined) return undefined;
      return { writes: [create(Node, nodeOf(at, options, vocabulary, clock.now()), { tolerates: ["AlreadyExists"] })] };
    },
  });
  for (const name of positions.keys()) queue.add(name);
  const living = () => [...positions.keys()].filter(isAlive);
  every(leaseRenewMs, () =>
    living().map((name): Plan => {
      const renewTime = microTimeText(clock.now());
      const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
      return leases.get(`${namespace}/${name}`) === undefined
        ? { writes: [create(Lease, { metadata: { name, namespace }, spec }, { tolerates: ["AlreadyExists"] })] }
        : { writes: [patch(Lease, { namespace, name }, { spec: { renewTime } })] };
    }),
  );
  every(statusRepeatMs, () =>
    living().flatMap((name): Plan[] => {
      const node = nodes.get(name);
      if (node === undefined) return [];
      const status = nodeStatus(positions.get(name) ?? 0, options, clock.now(), node.status);
      return [{ writes: [updateStatus(Node, { ...node, status }, { tolerates: ["NotFound", "Conflict"] })] }];
    }),
  );
}
