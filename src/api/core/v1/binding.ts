/** A Binding assigns a pod to a node. */

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
  doc: "A Binding assigns a pod to a node.",
  fields: {
    target: ObjectReference.at(2).doc("The node that the pod is assigned to. Required."),
  },
});
export type Binding = Static<typeof Binding>;
