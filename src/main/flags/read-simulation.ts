/** The flags about simulated nodes, read and checked. */

import { FlagError } from "../../base/flags/flag.ts";
import { PortTargets } from "../../simulation/agent/port-targets.ts";
import { checkNodes, type SimulationOptions } from "../all-controllers.ts";

interface SimulationFlags {
  readonly nodes?: number;
  readonly "simulated-port-targets"?: readonly string[];
  readonly "simulated-pull-failures"?: readonly string[];
  readonly "secure-port"?: number;
}

export function readSimulationFlags(flags: SimulationFlags): SimulationOptions {
  const { nodes: count = 0, "simulated-pull-failures": pullFails = [] } = flags;
  checkNodes(count, "--nodes");
  const portTargets = readPortTargets(flags);
  return { count, portTargets, pullFails };
}

/** Throws a FlagError if a target is not on this machine, or is the server itself. */
export function readPortTargets(flags: SimulationFlags): readonly string[] {
  const { "simulated-port-targets": targets = [], "secure-port": own = 0 } = flags;
  try {
    new PortTargets(targets);
  } catch (error) {
    throw new FlagError(`--simulated-port-targets: ${error instanceof Error ? error.message : String(error)}`);
  }
  const itself = targets.find((target) => own !== 0 && target.endsWith(`:${own}`));
  if (itself !== undefined) throw new FlagError(`--simulated-port-targets: ${itself} is this server itself`);
  return targets;
}
