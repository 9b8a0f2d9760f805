/** How long node agents may cache Secrets and ConfigMaps: longer in larger clusters. */

import { Node } from "../../api/core/v1/node.ts";
import { type Plan, patch } from "../plan.ts";

/** Steps overlap, so that a cluster near a boundary does not switch back and forth. */
const steps: readonly { readonly from: number; readonly to: number; readonly seconds: number }[] = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1_000, seconds: 30 },
  { from: 900, to: 2_000, seconds: 60 },
  { from: 1_800, to: 10_000, seconds: 300 },
  { from: 9_000, to: Number.POSITIVE_INFINITY, seconds: 600 },
];

/** The step after the number of nodes changed. */
export function stepAfter(step: number, nodes: number): number {
  let next = step;
  while (next < steps.length - 1 && nodes > (steps[next]?.to ?? 0)) next++;
  while (next > 0 && nodes < (steps[next]?.from ?? 0)) next--;
  return next;
}

export const secondsOf = (step: number): number => steps[step]?.seconds ?? 0;

/** Undefined: the node says so already. */
export function planTtl(node: Node, annotation: string, step: number): Plan | undefined {
  const seconds = String(secondsOf(step));
  const { name = "", annotations } = node.metadata;
  if (annotations?.[annotation] === seconds) return undefined;
  return { writes: [patch(Node, { name }, { metadata: { annotations: { [annotation]: seconds } } })] };
}
