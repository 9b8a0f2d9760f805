/** Whether the containers of a pod are ready: by their probes, unless a stage has decided it. */

import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { hasCondition, heldReadiness } from "./conditions.ts";
import type { PodContext } from "./context.ts";
import { isSidecar } from "./restarts.ts";
import type { StagesNow } from "./stages-now.ts";

interface Containers {
  readonly mains: readonly ContainerStatus[];
  readonly inits: readonly ContainerStatus[];
  readonly hasExited: boolean;
}

interface Readiness {
  readonly areReady: boolean;
  /** A stage has decided so, against the probes; it counts until a container exits, or another stage decides. */
  readonly isHeld: boolean;
}

export function readinessOf(
  pod: Pod,
  { stages }: PodContext,
  { due }: StagesNow,
  { containers, isOver }: { readonly containers: Containers; readonly isOver: boolean },
): Readiness {
  if (isOver) return { areReady: false, isHeld: false };
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const probed =
    containers.mains.every(({ ready }) => ready) &&
    containers.inits.every(({ name, ready }) => ready || !sidecars.includes(name));
  // Where a stage makes such pods ready, they do not become ready by themselves, but may stay so.
  const waitsForStage = stages.some(({ from, next }) => from === "NotReady" && next.ready === true);
  const natural = probed && (!waitsForStage || hasCondition(pod, "ContainersReady"));
  if (containers.hasExited) return { areReady: natural && !waitsForStage, isHeld: false };
  const said = due.findLast(({ next }) => next.ready !== undefined)?.next.ready ?? heldReadiness(pod);
  return { areReady: said ?? natural, isHeld: said !== undefined && said !== probed };
}
