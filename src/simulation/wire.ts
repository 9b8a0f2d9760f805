/** simulated-nodes: the agents of nodes without machines, which make their pods run. */

import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { keyOf } from "../client/informer/keys.ts";
import type { Controller, ControllerContext } from "../controllers/contract.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import type { NodeAgents } from "./agent/node-agents.ts";
import { agentComponent, startHeartbeats } from "./heartbeats.ts";
import { followNodes, type KnownNodes } from "./known-nodes.ts";
import type { SimulatedMetrics } from "./metrics/metrics.ts";
import { type PublishedMetrics, publishMetrics } from "./metrics/publish.ts";
import { type NodeOptions, nodeNameAt } from "./node.ts";
import { amountsOf, roomBeside } from "./node-room.ts";
import { createPodSync } from "./pod-sync.ts";
import { followStages } from "./stages/follow.ts";
import type { SimulationStages } from "./stages/stages.ts";

/** Few: where thousands of pods start at once, the scheduler goes first, and each pod that waits here needs one write less. */
const podWorkers = 4;

/** What others have of the nodes. */
export interface ServedParts {
  /** By which a server reaches the nodes. */
  readonly agents: Pick<NodeAgents, "serve">;
  /** What is said about their usage. */
  readonly metrics?: SimulatedMetrics;
  /** Where servers in other processes ask for the metrics. Absent: the server is in this process, or must do without. */
  readonly published?: PublishedMetrics | undefined;
}

export const createSimulatedNodes = (options: NodeOptions, served?: ServedParts): Controller => ({
  name: "simulated-nodes",
  start(context) {
    const { informers, clock, environment, vocabulary } = context;
    const [nodes, pods] = [informers.of(Node), informers.of(Pod)];
    const amounts = amountsOf(options);
    const onNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const addAll = (name: string) => {
      for (const pod of onNode.get(name)) queue.add(keyOf(pod));
    };
    const known = followNodes(nodes, options, (name) => {
      heartbeats.add(name);
      // A node that works again continues with its pods.
      addAll(name);
    });
    const { stages, synced } = followStages(context, () => {
      for (const name of known.positions.keys()) addAll(name);
    });
    const queue = context.queue({
      workers: podWorkers,
      component: agentComponent(vocabulary),
      after: [nodes, pods, { synced }],
      sync: createPodSync({
        pods,
        clock,
        stages,
        tells: environment.since("1.33") ? "1.35" : "1.21",
        amounts,
        roomBeside: (pod) => roomBeside(pod, onNode.get(pod.spec?.nodeName ?? ""), amounts),
        isUnready: (name) => known.trouble(name)?.isUnready === true,
        positionOf: (name) => (known.isAlive(name) ? known.positions.get(name) : undefined),
      }),
    });
    const heartbeats = startHeartbeats(context, options, { known, podsOn: (name) => onNode.get(name) });
    const see = (pod: Pod) => {
      if (known.positions.has(pod.spec?.nodeName ?? "")) queue.add(keyOf(pod));
    };
    pods.on({ add: see, update: see });
    if (served !== undefined) serve(served, context, known, stages);
    return served?.published && publishMetrics(context, served.published);
  },
});

/** Tells the server what it answers about these nodes. */
function serve(served: ServedParts, context: ControllerContext, known: KnownNodes, stages: SimulationStages): void {
  const { informers } = context;
  const [nodes, pods] = [informers.of(Node), informers.of(Pod)];
  const isHere = ({ spec }: Pod) => known.isAlive(spec?.nodeName ?? "");
  served.agents.serve({
    hasNode: (host) => known.trouble(nodeNameAt(host)) !== undefined,
    isAlive: (host) => known.isAlive(nodeNameAt(host)),
    find(namespace, name) {
      const pod = pods.get(`${namespace}/${name}`);
      return pod !== undefined && isHere(pod) ? stages.declared(pod) : undefined;
    },
  });
  const owners = [informers.of(ReplicaSet), informers.of(StatefulSet)];
  served.metrics?.serve({
    pods: () => pods.list().filter(isHere),
    nodes: () =>
      [...known.positions.keys()].filter((name) => known.isAlive(name)).flatMap((name) => nodes.get(name) ?? []),
    otherAnnotations(pod) {
      const owner = controllerOf(pod);
      const found = owners.map((each) => each.get(`${pod.metadata.namespace ?? ""}/${owner?.name ?? ""}`));
      const owned = found.find((each) => each?.metadata.uid === owner?.uid)?.metadata.annotations;
      return { ...stages.annotationsOf(pod), ...owned };
    },
    nowMs: () => context.clock.now(),
  });
}
