/** A PodTemplate is a description from which pods are created. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { FieldErrors } from "../../../machinery/status/field-error.ts";
import { labelsText, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { containerImages, containerNames } from "./pod/columns.ts";
import { keepingPages } from "./pod/kept-huge-pages.ts";
import { PodTemplateSpec } from "./pod/spec.ts";
import { validatePodTemplateSpec } from "./pod/validate-template.ts";
import { templateWarnings } from "./pod/warnings.ts";

export const PodTemplate = kind({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  scope: "Namespaced",
  doc: "A PodTemplate is a description from which pods are created.",
  fields: {
    template: elided(PodTemplateSpec).at(2).doc("The pods that are created from the template."),
  },
  returnsDeleted: true,
  validate: validateTemplate,
  validateUpdate: keepingPages(validateTemplate, ({ template }) => template?.spec),
  from: { "1.22": { generation: true } },
  warnings: (object, _old, environment) =>
    has(environment, "templateWarnings") ? templateWarnings(object.template, "template", environment) : [],
  columns: (column) => [
    nameColumn,
    column("Containers", (object) => containerNames(object.template?.spec)),
    column("Images", (object) => containerImages(object.template?.spec)),
    column("Pod Labels", (object) => labelsText(object.template?.metadata?.labels)),
  ],
});
export type PodTemplate = Static<typeof PodTemplate>;

function validateTemplate({ template = {} }: { template?: PodTemplateSpec }, environment: Environment): FieldErrors {
  return validatePodTemplateSpec(template, "template", environment);
}
