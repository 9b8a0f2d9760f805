/** A Binding ties a pod to the node it shall run on. */

import type { Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ObjectReference } from "./references.ts";

export const Binding = kind({
  group: "",
  version: "v1",
  kind: "Binding",
  resource: "bindings",
  scope: "Namespaced",
  verbs: ["create"],
  action: "bindings",
  doc: "A Binding ties a pod to the node it shall run on.",
  fields: {
    target: ObjectReference.at(2).doc("The node to bind the pod to."),
  },
});
export type Binding = Static<typeof Binding>;
