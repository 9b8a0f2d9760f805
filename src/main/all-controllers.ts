/** All controllers that this program can run in one process: those of a control plane, the scheduler, and simulated nodes. */

import { FlagError } from "../base/flags/flag.ts";
import type { Controller } from "../controllers/contract.ts";
import { controllers } from "../controllers/list.ts";
import { scheduler } from "../scheduler/wire.ts";
import { nodeOptionsDefault } from "../simulation/node.ts";
import type { ServedParts } from "../simulation/served-nodes.ts";
import { createSimulatedNodes } from "../simulation/wire.ts";

/** By name, for --controllers and `createServer({ controllers })`. */
export const allControllers: readonly Controller[] = [...controllers, scheduler];

/** More would be slow for no use. */
export const nodesMax = 5_000;

/** Throws if there cannot be so many simulated nodes; `name` is what the person wrote. */
export function checkNodes(nodes: number, name: string): void {
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > nodesMax)
    throw new FlagError(`${name}: must be a whole number from 0 to ${nodesMax}, not ${nodes}`);
}

/** What simulated nodes there are, and what is special about them. */
export interface SimulationOptions {
  /** How many there are; 0: none. */
  readonly count: number;
  /** Programs on this machine that ports of pods may forward to: "127.0.0.1:8443". Default: none. */
  readonly portTargets?: readonly string[] | undefined;
  /** Patterns of images that no node can pull. Default: none. */
  readonly pullFails?: readonly string[] | undefined;
}

/** They notice that nodes are ready, evict pods from those that are not, and bind and let go of the volumes that nodes make. */
const companions = ["nodelifecycle", "taint-eviction", "persistentvolume-binder", "pv-protection", "pvc-protection"];

/** What simulated nodes need besides the chosen controllers: their agents, a scheduler, and their companions. */
function controllersOfNodes(
  { count, pullFails = [] }: SimulationOptions,
  served: ServedParts | undefined,
): readonly Controller[] {
  if (count === 0) return [];
  const watching = controllers.filter(({ name }) => companions.includes(name));
  return [...watching, scheduler, createSimulatedNodes({ ...nodeOptionsDefault, count, pullFails }, served)];
}

/** Each once; a pod that waits is no news where a scheduler runs. */
export function withNodes(
  chosen: readonly Controller[],
  simulation: SimulationOptions,
  served?: ServedParts,
): readonly Controller[] {
  const all = [
    ...new Map([...chosen, ...controllersOfNodes(simulation, served)].map((one) => [one.name, one])).values(),
  ];
  return all.includes(scheduler) ? all.filter(({ name }) => name !== "unscheduled-pods") : all;
}
