/** Every score; their order does not matter. */

import { apartFromSiblings, preferredPods, preferredSpread } from "./pods.ts";
import { preferredNodes, untainted } from "./preferences.ts";
import { balanced, leastAllocated } from "./resources.ts";
import type { Score } from "./score.ts";

export const scores: readonly Score[] = [
  leastAllocated,
  balanced,
  preferredNodes,
  untainted,
  preferredPods,
  preferredSpread,
  apartFromSiblings,
];
