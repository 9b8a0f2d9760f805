/** The agents of simulated nodes in a process without a server: a port that any server can call, which the nodes name. */

import { readFile } from "node:fs/promises";
import { systemClock } from "../../base/clock.ts";
import { parseIp } from "../../base/ip-address.ts";
import type { Log } from "../../base/log.ts";
import { type AgentPods, openAgentServer } from "../../simulation/agent/agent-server.ts";
import { PortTargets } from "../../simulation/agent/port-targets.ts";
import { SimulatedMetrics } from "../../simulation/metrics/metrics.ts";
import { MetricsGroup } from "../../simulation/metrics/metrics-group.ts";
import { metricsHost } from "../../simulation/metrics/publish.ts";
import type { NodeOptions } from "../../simulation/node.ts";
import type { ServedParts } from "../../simulation/served-nodes.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { issueAuthority, issueServing } from "../pki/issue.ts";

interface AgentsApartOptions {
  /** An IP address of this machine, under which the server reaches it. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  /** Authorities of the certificates of servers that may call (PEM); empty: all may. */
  readonly clientCaFile: string;
  /** Programs on this machine that ports of pods may forward to. Default: none. */
  readonly portTargets?: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly log: Log;
}

interface AgentsApart {
  readonly served: ServedParts;
  /** What the nodes say about them. */
  readonly agent: NonNullable<NodeOptions["agent"]>;
  close(): Promise<void>;
}

const commonName = "simulated-nodes";

export async function openAgentsApart(options: AgentsApartOptions): Promise<AgentsApart> {
  const { address, port, clientCaFile, portTargets = [], vocabulary, log } = options;
  let pods: AgentPods | undefined;
  const clientCa = clientCaFile === "" ? undefined : await readFile(clientCaFile, "utf8");
  const authority = issueAuthority(commonName, systemClock);
  const { certificate, key } = issueServing(
    authority,
    { commonName, hosts: [address, metricsHost(vocabulary)] },
    systemClock,
  );
  const metrics = new SimulatedMetrics();
  const server = await openAgentServer({
    host: address,
    port,
    tls: { cert: certificate, key, clientCa },
    pods: {
      find: (namespace, name) => pods?.find(namespace, name),
      get commands() {
        if (pods === undefined) throw new Error("no pod is found before the nodes are served");
        return pods.commands;
      },
    },
    metrics: new MetricsGroup(metrics, vocabulary),
    targets: new PortTargets(portTargets),
    clock: systemClock,
    log,
  });
  const isNameable = parseIp(address)?.version === 4;
  if (!isNameable) log.warn("metrics are not served: --agent-address is not an IPv4 address", { address });
  return {
    served: {
      agents: {
        serve(nodes) {
          pods = nodes;
        },
      },
      metrics,
      published: isNameable ? { address, port: server.port, authority: authority.certificate } : undefined,
    },
    agent: { address, port: server.port },
    close: () => server.close(),
  };
}
