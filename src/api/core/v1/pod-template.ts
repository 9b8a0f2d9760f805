/** A PodTemplate is a description from which pods are made. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { PodTemplateSpec } from "./pod-spec.ts";

export const PodTemplate = kind({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  scope: "Namespaced",
  doc: "A PodTemplate is a description from which pods are made.",
  fields: {
    template: elided(PodTemplateSpec).at(2),
  },
});
export type PodTemplate = Static<typeof PodTemplate>;
