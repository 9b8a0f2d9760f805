/** What a simulated node says about itself. */

import type { Node } from "../api/core/v1/node.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

export interface NodeOptions {
  /** How many nodes there are: node-0, node-1, … */
  readonly count: number;
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  /** Zones that the nodes are in, in turns. */
  readonly zones: number;
}

export const nodeOptionsDefault: Omit<NodeOptions, "count"> = { cpu: "8", memory: "32Gi", pods: "110", zones: 3 };

export const nodeName = (at: number): string => `node-${at}`;

/** An address of the range 10.64.0.0/12, one for each node. */
export const nodeAddress = (at: number): string => `10.64.${(at >> 8) & 255}.${at & 255}`;

/** The name of the node with this name or address. */
export function nodeNameAt(host: string): string {
  const [, high, low] = /^10\.64\.(\d{1,3})\.(\d{1,3})$/.exec(host) ?? [];
  return high === undefined ? host : nodeName(Number(high) * 256 + Number(low));
}

/** The mark of nodes that are simulated here; the same in every vocabulary. */
export const simulatedLabel = "simulation.orch.io/simulated";
/** A node that has this annotation sends no sign of life, as if it had failed. */
export const failedAnnotation = "simulation.orch.io/failed";

export function nodeOf(at: number, options: NodeOptions, vocabulary: Vocabulary, nowMs: number): Node {
  const name = nodeName(at);
  const word = (neutral: string) => vocabulary.word(neutral);
  return {
    metadata: {
      name,
      labels: {
        [word("orch.io/hostname")]: name,
        [word("orch.io/os")]: "linux",
        [word("orch.io/arch")]: "amd64",
        [word("topology.orch.io/zone")]: `zone-${at % options.zones}`,
        [word("topology.orch.io/region")]: "simulated",
        [simulatedLabel]: "true",
      },
    },
    status: nodeStatus(at, options, nowMs),
  };
}

export function nodeStatus(
  at: number,
  { cpu, memory, pods }: NodeOptions,
  nowMs: number,
  before?: Node["status"],
): NonNullable<Node["status"]> {
  const now = timeText(nowMs);
  const amounts = { cpu, memory, pods, "ephemeral-storage": "100Gi" };
  const condition = (type: string, status: string, reason: string, message: string) => {
    const old = before?.conditions?.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  };
  return {
    ...before,
    capacity: amounts,
    allocatable: amounts,
    addresses: [
      { type: "InternalIP", address: nodeAddress(at) },
      { type: "Hostname", address: nodeName(at) },
    ],
    conditions: [
      condition("MemoryPressure", "False", "SimulatedNode", "the node is simulated"),
      condition("DiskPressure", "False", "SimulatedNode", "the node is simulated"),
      condition("PIDPressure", "False", "SimulatedNode", "the node is simulated"),
      condition("Ready", "True", "SimulatedNode", "the node is simulated"),
    ],
  };
}
