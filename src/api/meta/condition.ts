/** A condition in the common form. */

import type { Static } from "../../machinery/schema/build.ts";
import { elided, int64, string, struct, time } from "../../machinery/schema/build.ts";

export const Condition = struct("meta.v1.Condition", {
  type: string().at(1).doc("Which aspect of the object the condition reports; one entry for each type."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  observedGeneration: elided(int64())
    .at(3)
    .doc(
      "The metadata.generation that the condition was computed from; if it is lower than the current one, the condition is out of date.",
    ),
  lastTransitionTime: time().at(4).doc("When status last changed from one value to another."),
  reason: string().at(5).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: string().at(6).doc("A sentence for people about the last change; may be empty."),
});
export type Condition = Static<typeof Condition>;
