/** What a server has of simulated nodes in its process: their agents, with certificates for this run alone, and their metrics. */

import { NodeMetrics } from "../../api/metrics/v1beta1/node-metrics.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type AgentsTls, NodeAgents } from "../../simulation/agent/node-agents.ts";
import { PortTargets } from "../../simulation/agent/port-targets.ts";
import { SimulatedNetwork } from "../../simulation/agent/simulated-network.ts";
import { SimulatedMetrics } from "../../simulation/metrics/metrics.ts";
import type { ServedParts } from "../../simulation/served-nodes.ts";
import type { SimulationOptions } from "../all-controllers.ts";
import { issueAuthority, issueClient, issueServing, type KeyPair } from "../pki/issue.ts";
import type { VirtualKind } from "../server/options.ts";

export interface SimulatedParts extends ServedParts {
  readonly agents: NodeAgents;
  readonly metrics: SimulatedMetrics;
  readonly network: SimulatedNetwork;
  /** The kinds of the metrics. */
  readonly virtual: readonly VirtualKind[];
}

const serverName = "simulated-nodes";

/** Undefined: there are no simulated nodes. */
export function createSimulatedParts(
  { count, portTargets = [] }: SimulationOptions,
  clock: Clock,
  log: Log,
): SimulatedParts | undefined {
  if (count === 0) return undefined;
  const metrics = new SimulatedMetrics();
  const targets = new PortTargets(portTargets);
  return {
    agents: new NodeAgents({ targets, clock, log, makeTls }),
    network: new SimulatedNetwork(targets),
    metrics,
    virtual: [
      { kind: NodeMetrics, source: { objects: async () => metrics.nodes() } },
      { kind: PodMetrics, source: { objects: async () => metrics.pods() } },
    ],
  };
}

/** TLS compares certificates with the time of the system, also where the server has a clock of its own. */
function makeTls(): AgentsTls {
  const pem = ({ certificate, key }: KeyPair) => ({ cert: certificate, key });
  const authority = issueAuthority(serverName, systemClock);
  return {
    authority: authority.certificate,
    serving: pem(issueServing(authority, { commonName: serverName, hosts: [serverName] }, systemClock)),
    client: pem(issueClient(authority, { commonName: "apiserver", organizations: [] }, systemClock)),
    serverName,
  };
}
