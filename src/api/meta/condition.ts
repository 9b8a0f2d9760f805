/** A condition in the common form. */

import type { Static } from "../../machinery/schema/build.ts";
import { elided, int64, string, struct, time } from "../../machinery/schema/build.ts";

export const Condition = struct("meta.v1.Condition", {
  type: string().at(1),
  status: string().at(2),
  observedGeneration: elided(int64()).at(3),
  lastTransitionTime: time().at(4),
  reason: string().at(5),
  message: string().at(6),
});
export type Condition = Static<typeof Condition>;
