/** What a simulated node says about itself. */

import type { Node } from "../api/core/v1/node.ts";
import type { FeatureGates } from "../machinery/schema/gates.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { nodeAddress, nodePositionAt } from "./addresses.ts";
import { conditionStates, type NodeTrouble, noTrouble } from "./node-trouble.ts";

export interface NodeOptions {
  /** How many nodes there are: node-0, node-1, … */
  readonly count: number;
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  /** Zones that the nodes are in, in turns. */
  readonly zones: number;
  /** Patterns of images that none of them can pull. */
  readonly pullFails: readonly string[];
  /** Where the agents of all nodes listen. Absent: in the process of the server, which knows where. */
  readonly agent?: { readonly address: string; readonly port: number };
}

export const nodeOptionsDefault: Omit<NodeOptions, "count"> = {
  cpu: "8",
  memory: "32Gi",
  pods: "110",
  zones: 3,
  pullFails: [],
};

export const nodeName = (at: number): string => `node-${at}`;

/** The name of the node with this name or address. */
export function nodeNameAt(host: string): string {
  const at = nodePositionAt(host);
  return at === undefined ? host : nodeName(at);
}

/** The mark of nodes that are simulated here; the same in every vocabulary. */
export const simulatedLabel = "simulation.orch.io/simulated";

interface NodeEnvironment {
  readonly vocabulary: Vocabulary;
  /** The release that the server serves, which the agent has too. */
  readonly level: string;
  readonly gates: Pick<FeatureGates, "enabled">;
}

/** Features that these agents have of those that nodes declare: they do not restart a pod as a whole, nor resize it as one. */
const agentFeatures = ["InPlacePodVerticalScalingInitContainers"] as const;

export function nodeOf(at: number, options: NodeOptions, environment: NodeEnvironment, nowMs: number): Node {
  const name = nodeName(at);
  const { vocabulary } = environment;
  const word = (neutral: string) => vocabulary.word(neutral);
  return {
    metadata: {
      name,
      // The certificate of such an agent is its own, so servers that verify those of nodes are to make an exception.
      ...(options.agent && { annotations: { [word("proxy.orch.io/insecure-skip-tls-verify")]: "true" } }),
      labels: {
        [word("orch.io/hostname")]: name,
        [word("orch.io/os")]: "linux",
        [word("orch.io/arch")]: "amd64",
        // Otherwise the controller of nodes would write them, once for each node.
        [word("beta.orch.io/os")]: "linux",
        [word("beta.orch.io/arch")]: "amd64",
        [word("topology.orch.io/zone")]: `zone-${at % options.zones}`,
        [word("topology.orch.io/region")]: "simulated",
        [simulatedLabel]: "true",
      },
    },
    status: nodeStatus(at, options, { nowMs, trouble: noTrouble, ...environment }),
  };
}

type NodeStatus = NonNullable<Node["status"]>;

interface StatusNow extends NodeEnvironment {
  readonly nowMs: number;
  readonly trouble: NodeTrouble;
  readonly before?: NodeStatus | undefined;
}

export function nodeStatus(
  at: number,
  { cpu, memory, pods, agent }: NodeOptions,
  { nowMs, trouble, level, gates, vocabulary, before }: StatusNow,
): NodeStatus {
  const declaredFeatures = gates.enabled("NodeDeclaredFeatures")
    ? agentFeatures.filter((feature) => gates.enabled(feature))
    : [];
  const now = timeText(nowMs);
  const amounts = { cpu, memory, pods, "ephemeral-storage": "100Gi" };
  const condition = (type: string, isTrue: boolean) => {
    const status = isTrue ? "True" : "False";
    const old = before?.conditions?.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    const why = { reason: "SimulatedNode", message: "the node is simulated" };
    return { type, status, ...why, lastHeartbeatTime: now, lastTransitionTime };
  };
  return {
    ...before,
    capacity: amounts,
    allocatable: amounts,
    addresses: [
      // Servers call the first address of the type that they prefer: a name would come before it, and mean no machine.
      ...(agent === undefined ? [] : [{ type: "InternalIP", address: agent.address }]),
      { type: "InternalIP", address: nodeAddress(at) },
      ...(agent === undefined ? [{ type: "Hostname", address: nodeName(at) }] : []),
    ],
    ...(agent && { daemonEndpoints: { [vocabulary.field("orchletEndpoint")]: { Port: agent.port } } }),
    conditions: conditionStates(trouble).map(([type, isTrue]) => condition(type, isTrue)),
    nodeInfo: nodeInfo(at, level, vocabulary),
    ...(declaredFeatures.length > 0 && { declaredFeatures }),
  };
}

/** No machine has these facts, so they say so. */
function nodeInfo(at: number, level: string, vocabulary: Vocabulary): NonNullable<NodeStatus["nodeInfo"]> {
  const version = `v${level}.0-simulated`;
  // These two have other names in each vocabulary, which the type does not know.
  const spoken = {
    [vocabulary.field("orchletVersion")]: version,
    [vocabulary.field("orchProxyVersion")]: version,
  } as { orchletVersion: string; orchProxyVersion: string };
  const id = `simulated-${nodeName(at)}`;
  return {
    machineID: id,
    systemUUID: id,
    bootID: id,
    kernelVersion: "simulated",
    osImage: "Simulated",
    containerRuntimeVersion: `simulated://${level}.0`,
    ...spoken,
    operatingSystem: "linux",
    architecture: "amd64",
  };
}
