/** A ResourceClaimTemplate is what the claims of pods are made from. */

import { elided, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { onlyLabelsAndAnnotations } from "../../meta/template-metadata.ts";
import { claimRelations } from "./claim-relations.ts";
import { ResourceClaimSpec } from "./device-claim.ts";
import { claimSelectors, selectorChecks } from "./selector-expressions.ts";

const ResourceClaimTemplateSpec = struct("resource.v1.ResourceClaimTemplateSpec", {
  metadata: elided(ObjectMetaStruct)
    .at(1)
    .checked(onlyLabelsAndAnnotations("only labels and annotations may be given"))
    .doc("Labels and annotations of the claims."),
  spec: ResourceClaimSpec.at(2).listed(false, "1.37").doc("The spec of the claims."),
});

type ResourceClaimTemplateSpec = Static<typeof ResourceClaimTemplateSpec>;

export const ResourceClaimTemplate = kind({
  group: "resource.orch.io",
  version: "v1",
  since: "1.34",
  kind: "ResourceClaimTemplate",
  resource: "resourceclaimtemplates",
  scope: "Namespaced",
  doc: "A ResourceClaimTemplate is what the claims of pods are made from.",
  fields: {
    spec: ResourceClaimTemplateSpec.at(2)
      .listed(false, "1.37")
      .immutable()
      .doc("Metadata and spec of the claims; cannot be changed."),
  },
  returnsDeleted: true,
  ...selectorChecks(({ spec }: { readonly spec: ResourceClaimTemplateSpec }) =>
    claimSelectors(spec.spec.devices ?? { requests: [] }, "spec.spec.devices"),
  ),
  relations: claimRelations,
  rulesOnUpdate: false,
  columns: () => [nameColumn, ageColumn],
});
export type ResourceClaimTemplate = Static<typeof ResourceClaimTemplate>;
