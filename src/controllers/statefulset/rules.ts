/** The part of a pass over a StatefulSet that is the same for all sets of a server. */

import type { ControllerContext } from "../contract.ts";

export interface StatefulSetRules {
  /** The label with the name of a pod. */
  readonly nameLabel: string;
  /** The label with its ordinal. Absent: pods have none. */
  readonly indexLabel?: string | undefined;
  /** The label with the hash of a revision. */
  readonly hashLabel: string;
  readonly countsAvailable: boolean;
}

export function statefulSetRulesOf({
  vocabulary,
  has,
}: Pick<ControllerContext, "vocabulary" | "has">): StatefulSetRules {
  return {
    nameLabel: vocabulary.word("statefulset.orch.io/pod-name"),
    indexLabel: has("podIndexLabels") ? vocabulary.word("apps.orch.io/pod-index") : undefined,
    hashLabel: vocabulary.word("controller.orch.io/hash"),
    countsAvailable: has("availableReplicas"),
  };
}
