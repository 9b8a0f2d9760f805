/** All containers of a pod with their paths; a rule that forgets one of the three lists can be bypassed. */

import type { Container, EphemeralContainer } from "../api/core/v1/pod/container.ts";
import type { Pod } from "../api/core/v1/pod.ts";

export interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  /** "spec.initContainers[0]". */
  readonly path: string;
}

/** Init containers, containers and ephemeral containers, in this order. */
export function containersOf({ spec }: Pick<Pod, "spec">): PlacedContainer[] {
  const placed = (list: readonly PlacedContainer["container"][] | undefined, name: string) =>
    (list ?? []).map((container, index) => ({ container, path: `spec.${name}[${index}]` }));
  return [
    ...placed(spec?.initContainers, "initContainers"),
    ...placed(spec?.containers, "containers"),
    ...placed(spec?.ephemeralContainers, "ephemeralContainers"),
  ];
}
