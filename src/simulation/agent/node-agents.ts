/** The agents of simulated nodes in the process of a server: one HTTPS port on this machine for all, opened on first use. */

import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { Dial, TlsIdentity } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import { type AgentPods, type AgentServer, openAgentServer } from "./agent-server.ts";
import type { PortTargets } from "./port-targets.ts";

/** Both sides of the connection prove who they are; PEM. */
export interface AgentsTls {
  readonly authority: string;
  readonly serving: { readonly cert: string; readonly key: string };
  /** The certificate of the server, for its requests to agents. */
  readonly client: { readonly cert: string; readonly key: string };
  /** The name in the serving certificate. */
  readonly serverName: string;
}

/** The nodes, as their controller knows them. Hosts are names or addresses of nodes. */
interface ServedNodes extends AgentPods {
  hasNode(host: string): boolean;
  isAlive(host: string): boolean;
}

interface NodeAgentsOptions {
  /** Called once, when a request first needs an agent. */
  makeTls(): AgentsTls;
  /** Where ports of pods may forward to. */
  readonly targets: PortTargets;
  readonly clock: Clock;
  readonly log: Log;
}

const loopback = "127.0.0.1";

export class NodeAgents {
  readonly #options: NodeAgentsOptions;
  #nodes: ServedNodes | undefined;
  #opened: Promise<{ readonly server: AgentServer; readonly tls: AgentsTls }> | undefined;

  constructor(options: NodeAgentsOptions) {
    this.#options = options;
  }

  /** The controller of the nodes has started. */
  serve(nodes: ServedNodes): void {
    this.#nodes = nodes;
  }

  has(host: string): boolean {
    return this.#nodes?.hasNode(host) === true;
  }

  /** Where the agent of the node at this host listens; undefined: the node is not simulated here. Rejects if it has failed. */
  find(host: string): Promise<{ readonly dial: Dial; readonly tls: TlsIdentity; open(): Duplex }> | undefined {
    const nodes = this.#nodes;
    if (nodes === undefined || !nodes.hasNode(host)) return undefined;
    if (!nodes.isAlive(host)) return Promise.reject(new Error(`dial tcp ${host}: the simulated node does not answer`));
    this.#opened ??= this.#open(nodes);
    return this.#opened.then(({ server, tls }) => ({
      dial: { host: loopback, port: server.port },
      tls: { ca: tls.authority, serverName: tls.serverName, ...tls.client },
      open: () => server.open(),
    }));
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.server.close();
  }

  async #open(pods: AgentPods) {
    const { makeTls, targets, clock, log } = this.#options;
    const tls = makeTls();
    const server = await openAgentServer({
      host: loopback,
      port: 0,
      tls: { ...tls.serving, clientCa: tls.authority },
      pods,
      targets,
      clock,
      log,
    });
    return { server, tls };
  }
}
