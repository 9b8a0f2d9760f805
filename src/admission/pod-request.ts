/** Requests about pods, as most plugins look at them. */

import type { Container } from "../api/core/v1/container.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { isAbout } from "./context.ts";
import type { AdmissionRequest, Operation } from "./contract.ts";

/** Whether pods themselves are written in one of the given ways, not one of their subresources. */
export function isPodWrite(request: AdmissionRequest, ...operations: readonly Operation[]): boolean {
  return operations.includes(request.operation) && isAbout(request, "", "pods");
}

/** The pod that is to be stored. Only for requests that `isPodWrite` lets through. */
export function podOf({ object }: AdmissionRequest): Pod {
  return object as unknown as Pod; // all that the family of pods holds
}

/** The pod that is stored; undefined on a create. */
export function oldPodOf({ old }: AdmissionRequest): Pod | undefined {
  return old as unknown as Pod | undefined; // as above
}

export interface PlacedContainer {
  readonly container: Container;
  /** "spec.initContainers[0]". */
  readonly path: string;
}

/** Init containers, containers and ephemeral containers, in this order. */
export function containersOf({ spec }: Pod): PlacedContainer[] {
  const placed = (list: readonly Container[] | undefined, name: string) =>
    (list ?? []).map((container, index) => ({ container, path: `spec.${name}[${index}]` }));
  return [
    ...placed(spec?.initContainers, "initContainers"),
    ...placed(spec?.containers, "containers"),
    ...placed(spec?.ephemeralContainers as readonly Container[] | undefined, "ephemeralContainers"),
  ];
}
