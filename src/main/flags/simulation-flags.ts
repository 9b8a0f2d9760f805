/** The flags of `orch scheduler` and `orch nodes`: those of the controller manager, with other defaults. */

import { address } from "../../base/flags/addresses.ts";
import { bool, int, string, strings } from "../../base/flags/flag.ts";
import type { FlagHelp } from "../../base/flags/help.ts";
import { port } from "../../base/flags/numbers.ts";
import { controllerManagerFlags } from "./controller-manager-flags.ts";

const { controllers: _controllers, ...shared } = controllerManagerFlags;

export const schedulerFlags = {
  ...shared,
  "leader-elect-resource-name": string("the name of the lease", "orch-scheduler"),
  "secure-port": port("the port of /healthz, /metrics and /configz; 0: none", 10259),
};

/** What `orch up` and `orch nodes` have in common. */
export const simulationFlags = {
  "simulated-port-targets": strings(
    "programs on this machine that ports of simulated pods may forward to by their annotation simulation.orch.io/ports, such as 127.0.0.1:8443",
  ),
  "simulated-pull-failures": strings("images that simulated nodes cannot pull, with * for any part: *:nope"),
};

export const nodesFlags = {
  ...shared,
  ...simulationFlags,
  count: int("how many nodes there are: node-0, node-1, …", 3),
  "agent-address": address(
    "the address of this machine under which the server reaches the nodes, for logs, commands and metrics",
    "127.0.0.1",
  ),
  "agent-port": port("the port of the nodes' agents at this address; 0: any free one", 0),
  "agent-client-ca-file": string(
    "authorities of the certificates of servers that may call the agents (PEM); empty: all may",
  ),
  "leader-elect": bool("run only while holding the lease, so that one of several processes is active", false),
  "leader-elect-resource-name": string("the name of the lease", "orch-simulated-nodes"),
  "secure-port": port("the port of /healthz, /metrics and /configz; 0: none", 0),
};

export const schedulerHelp: FlagHelp = {
  flags: schedulerFlags,
  first: ["kubeconfig", "vocabulary", "leader-elect", "v"],
};
export const nodesHelp: FlagHelp = {
  flags: nodesFlags,
  first: ["count", "kubeconfig", "vocabulary", "agent-address", "agent-port", "v"],
};
