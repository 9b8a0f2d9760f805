/** Whether a pod tolerates the taints of a node. */

import type { Node } from "../../../api/core/v1/node.ts";
import type { Toleration } from "../../../api/core/v1/pod/scheduling.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** Whether all taints of these effects are tolerated. */
export function toleratesAll(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  effects: readonly string[],
): boolean {
  return taints
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}
