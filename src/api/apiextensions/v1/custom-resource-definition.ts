/** CustomResourceDefinition in v1: each version of the kind has its own schema, columns and subresources. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { status, version } from "../../../machinery/schema/kind.ts";
import { defaultNames, defaultStoredVersions } from "../definition/defaults.ts";
import { mergeDefinitionStatus } from "../definition/observed-generation.ts";
import { definitionChecks, validateDefinitionStatus } from "../definition/validate.ts";
import { CustomResourceDefinition as Hub } from "../v1beta1/custom-resource-definition.ts";
import { specFromHub, specToHub } from "./convert-definition.ts";
import { definitionStatus } from "./definition-parts.ts";
import { CustomResourceDefinitionSpec } from "./definition-spec.ts";

export const CustomResourceDefinition = version(Hub, {
  version: "v1",
  fields: {
    spec: CustomResourceDefinitionSpec.at(2).doc(
      "The desired state of the custom resource definition, set by its users.",
    ),
    status: elided(definitionStatus("v1"))
      .at(3)
      .doc("The most recently observed state of the custom resource definition, written by the system."),
  },
  defaults(definition) {
    defaultNames(definition.spec.names);
    defaultStoredVersions(definition);
  },
  strategy: definitionChecks({ isV1: true }),
  toHub: ({ spec, ...rest }) => ({ ...rest, spec: specToHub(spec) }),
  fromHub: ({ spec, ...rest }) => ({ ...rest, spec: specFromHub(spec) }),
  subresources: [status({ merge: mergeDefinitionStatus, resets: ["metadata"], validate: validateDefinitionStatus })],
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
