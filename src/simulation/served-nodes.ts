/** What a server answers about simulated nodes: their agents, and the usage of their pods. */

import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import type { ControllerContext } from "../controllers/contract.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import type { NodeAgents } from "./agent/node-agents.ts";
import type { SimulatedNetwork } from "./agent/simulated-network.ts";
import type { SimulatedCommands } from "./containers/simulated-commands.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { SimulatedMetrics } from "./metrics/metrics.ts";
import type { PublishedMetrics } from "./metrics/publish.ts";
import { nodeNameAt } from "./node.ts";
import type { SimulationStages } from "./stages/stages.ts";

/** What others have of the nodes. */
export interface ServedParts {
  /** By which a server reaches the nodes. */
  readonly agents: Pick<NodeAgents, "serve">;
  /** What is behind the addresses of their pods. Absent: the server is in another process, and does not know. */
  readonly network?: Pick<SimulatedNetwork, "serve">;
  /** What is said about their usage. */
  readonly metrics?: SimulatedMetrics;
  /** Where servers in other processes ask for the metrics. Absent: the server is in this process, or must do without. */
  readonly published?: PublishedMetrics | undefined;
}

/** Tells the server what it answers about these nodes. */
export function serveNodes(
  served: ServedParts,
  context: ControllerContext,
  known: KnownNodes,
  stages: SimulationStages,
  commands: SimulatedCommands,
): void {
  const { informers } = context;
  const [nodes, pods] = [informers.of(Node), informers.of(Pod)];
  const isHere = ({ spec }: Pod) => known.isAlive(spec?.nodeName ?? "");
  served.agents.serve({
    commands,
    hasNode: (host) => known.trouble(nodeNameAt(host)) !== undefined,
    isAlive: (host) => known.isAlive(nodeNameAt(host)),
    find(namespace, name) {
      const pod = pods.get(`${namespace}/${name}`);
      return pod !== undefined && isHere(pod) ? stages.declared(pod) : undefined;
    },
  });
  const byAddress = pods.index("pod-address", ({ status }) => (status?.podIP ? [status.podIP] : []));
  const isRunning = ({ status }: Pod) => status?.phase === "Running";
  served.network?.serve({
    at: (address) =>
      byAddress
        .get(address)
        .filter((pod) => isHere(pod) && isRunning(pod))
        .map((pod) => stages.declared(pod)),
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
