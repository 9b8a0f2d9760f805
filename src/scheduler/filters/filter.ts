/** The contract of a filter: which nodes a pod cannot have, and why. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Cluster, KnownNode } from "../cluster.ts";
import type { Granting } from "../devices/allocate.ts";
import type { DeviceNeeds } from "../devices/devices.ts";
import type { KnownPod } from "../known-pod.ts";
import type { Counting } from "../tally.ts";

export interface NodeRejection {
  /** In the words of v1.21: "Insufficient cpu". */
  readonly reasons: readonly string[];
  /** Whether it could fit if other pods left the node. */
  readonly canPreempt: boolean;
}

/** Undefined: the pod may have the node. */
export type CheckNode = (node: KnownNode) => NodeRejection | undefined;

/** Prepared once for each pod. Undefined: every node passes, as the pod asks nothing of this sort, or no node is in its way now. */
export type NodeFilter = (
  pod: KnownPod,
  cluster: Cluster,
  facts: PodFacts,
) => CheckNode | Counting<CheckNode | undefined> | undefined;

/** What other objects say about a pod. */
export interface PodFacts {
  /** Nodes that the volumes of its claims can be used on. */
  readonly volumes: readonly NodeRequirement[];
  /** What its claims of devices ask for. Absent: it has none. */
  readonly devices?:
    | { readonly needs: DeviceNeeds; ask(node: Node): Generator<number, void>; grant(node: Node): Granting }
    | undefined;
}

/** Required terms of a volume, as a pod's own affinity. */
type NodeRequirement = NonNullable<
  NonNullable<NonNullable<KnownPod["pod"]["spec"]>["affinity"]>["nodeAffinity"]
>["requiredDuringSchedulingIgnoredDuringExecution"];

export const rejected = (reason: string, canPreempt = false): NodeRejection => ({ reasons: [reason], canPreempt });

/** The reasons of the first check that objects. */
export const firstRejection =
  (checks: readonly CheckNode[]): CheckNode =>
  (node) => {
    for (const check of checks) {
      const rejection = check(node);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  };
