/** The agents of simulated nodes that run in the process of a server, with certificates for this run alone. */

import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { NodeAgents } from "../simulation/agent/node-agents.ts";
import { issueAuthority, issueClient, issueServing, type KeyPair } from "./pki/issue.ts";

const serverName = "simulated-nodes";

/** Undefined: there are no simulated nodes. */
export function createNodeAgents(nodes: number, clock: Clock, log: Log): NodeAgents | undefined {
  if (nodes === 0) return undefined;
  const pem = ({ certificate, key }: KeyPair) => ({ cert: certificate, key });
  return new NodeAgents({
    clock,
    log,
    makeTls() {
      // TLS compares certificates with the time of the system, also where the server has a clock of its own.
      const authority = issueAuthority(serverName, systemClock);
      return {
        authority: authority.certificate,
        serving: pem(issueServing(authority, { commonName: serverName, hosts: [serverName] }, systemClock)),
        client: pem(issueClient(authority, { commonName: "apiserver", organizations: [] }, systemClock)),
        serverName,
      };
    },
  });
}
