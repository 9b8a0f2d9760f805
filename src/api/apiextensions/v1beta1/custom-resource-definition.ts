/**
 * A CustomResourceDefinition adds a kind to the API at run time. This version can say everything that v1 can, and also
 * what all versions of the kind have in common at the top; so the strategy is declared here.
 */

import { finish } from "../../../base/time-slice.ts";
import { rulesSince } from "../../../cel/schema/check-rules.ts";
import { copyJson } from "../../../machinery/json/json-value.ts";
import { coerceDefaults } from "../../../machinery/json-schema/defaults.ts";
import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { defaultNames, defaultStoredVersions, noteStoredVersion } from "../definition/defaults.ts";
import { beginDefinitionDeletion } from "../definition/deletion.ts";
import { hasDefaults, schemasOf } from "../definition/rules.ts";
import { definitionChecks, validateDefinitionStatus } from "../definition/validate.ts";
import { specRelations } from "../definition/validate-names.ts";
import { definitionStatus } from "../v1/definition-parts.ts";
import { CustomResourceDefinitionSpec } from "./definition-spec.ts";

export const CustomResourceDefinition = kind({
  group: "apiextensions.orch.io",
  version: "v1beta1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  doc: "A CustomResourceDefinition adds a kind to the API at run time.",
  stored: "apiextensions.orch.io/v1",
  deprecated: { since: "1.16", removed: "1.22", replacement: "apiextensions.orch.io/v1 CustomResourceDefinition" },
  missedBefore: { "x-orch-validations": rulesSince, selectableFields: "1.30" },
  fields: {
    spec: CustomResourceDefinitionSpec.at(2).doc(
      "The desired state of the custom resource definition, set by its users.",
    ),
    status: elided(definitionStatus("v1beta1"))
      .at(3)
      .doc("The most recently observed state of the custom resource definition, written by the system."),
  },
  relations: specRelations,
  defaults(definition) {
    const { spec } = definition;
    if ((spec.versions ?? []).length === 0 && spec.version)
      spec.versions = [{ name: spec.version, served: true, storage: true }];
    const first = spec.versions?.[0]?.name;
    if (!spec.version && first) spec.version = first;
    if (spec.conversion?.strategy === "Webhook" && (spec.conversion.conversionReviewVersions ?? []).length === 0)
      spec.conversion.conversionReviewVersions = ["v1beta1"];
    defaultNames(spec.names);
    defaultStoredVersions(definition);
  },
  generation: true,
  unconditionalUpdate: false,
  plainFinalizers: true,
  prepareForCreate: noteStoredVersion,
  prepareForUpdate: noteStoredVersion,
  ...definitionChecks({ isV1: false }),
  beginDeletion: beginDefinitionDeletion,
  complete(definition, { vocabulary }) {
    // Validation has computed this already, and the result is cached.
    if (!finish(hasDefaults(definition.spec))) return definition;
    const spec = copyJson(definition.spec);
    for (const schema of schemasOf(spec)) coerceDefaults(schema, vocabulary.extensionPrefix);
    return { ...definition, spec };
  },
  subresources: [status({ resets: ["metadata"], validate: validateDefinitionStatus })],
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
