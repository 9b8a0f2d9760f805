/** Fields that several groups declare: conditions, amounts of resources. */

import { elided, int64, map, quantity, type Static, string, struct, time } from "../machinery/schema/build.ts";

/** A condition in the common form. */
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

/** Amounts of resources by name, none finer than a thousandth: `{ cpu: "250m", memory: "1Gi" }`. */
export const resourceList = () => map(quantity(), { finest: "milli" });
