/** Fields that several groups declare: conditions, amounts of resources. */

import {
  elided,
  int64,
  type ListOptions,
  map,
  quantity,
  type Static,
  string,
  struct,
  time,
} from "../machinery/schema/build.ts";

const typeText = "Which aspect of the object the condition reports; one entry for each type.";
const statusText = "Whether the condition holds: True, False or Unknown.";
const transitionText = "When status last changed from one value to another.";
const reasonText = "One CamelCase word, for programs, that says why the condition last changed.";
const messageText = "A sentence for people about the last change; may be empty.";

const conditionReasonBytesMax = 1024;
const conditionMessageBytesMax = 32 * 1024;
const reasonForm = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** A condition in the common form. */
export const Condition = struct("meta.v1.Condition", {
  type: string().at(1).named("qualified").doc(typeText),
  status: string().at(2).openApiEnum("none").oneOf(["False", "True", "Unknown"]).doc(statusText),
  observedGeneration: elided(int64())
    .at(3)
    .atLeast(0)
    .doc(
      "The metadata.generation that the condition was computed from; if it is lower than the current one, the condition is out of date.",
    ),
  lastTransitionTime: time().at(4).required().doc(transitionText),
  reason: string()
    .at(5)
    .required()
    .max(conditionReasonBytesMax)
    .named((reason) => (reasonForm.test(reason) ? [] : ["must be one word"]))
    .doc(reasonText),
  message: string().at(6).max(conditionMessageBytesMax).doc(messageText),
});
export type Condition = Static<typeof Condition>;

/** When and why a condition of another form last changed; `first` is the protobuf number of the first of the three. */
export const changeFields = (first = 3) => ({
  lastTransitionTime: elided(time()).at(first).doc(transitionText),
  reason: elided(string())
    .at(first + 1)
    .doc(reasonText),
  message: elided(string())
    .at(first + 2)
    .doc(messageText),
});

/** The members of a condition of another form; `types` describes its types. */
export const conditionFields = (types = typeText, first = 3) => ({
  type: string().at(1).doc(types),
  status: string().at(2).doc(statusText),
  ...changeFields(first),
});

/** Amounts of resources by name, none finer than a thousandth: `{ cpu: "250m", memory: "1Gi" }`. */
export const resourceList = (amount = quantity()) => map(amount, { finest: "milli" });

/** Conditions of a status; apply sees each of them since 1.32. */
export const conditionList: ListOptions = {
  patchStrategy: "merge",
  patchMergeKey: "type",
  from: { "1.32": { topology: "map", keys: ["type"] } },
};
