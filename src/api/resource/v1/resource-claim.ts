/** A ResourceClaim asks for devices, and says which ones it got. A driver outside of the server prepares them. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { ResourceClaimStatus } from "./allocation.ts";
import { claimRelations } from "./claim-relations.ts";
import { ResourceClaimSpec } from "./device-claim.ts";
import { claimSelectors, selectorChecks } from "./selector-expressions.ts";
import { validateClaimStatus } from "./validate-claim-status.ts";

export const ResourceClaim = kind({
  group: "resource.orch.io",
  version: "v1",
  since: "1.34",
  kind: "ResourceClaim",
  resource: "resourceclaims",
  scope: "Namespaced",
  doc: "A ResourceClaim asks for devices, and says which ones it got.",
  fields: {
    spec: ResourceClaimSpec.at(2)
      .listed(false, "1.37")
      .immutable()
      .doc("The devices that are needed; cannot be changed."),
    status: elided(ResourceClaimStatus).at(3).doc("The devices that were allocated, and for whom they are reserved."),
  },
  returnsDeleted: true,
  ...selectorChecks(({ spec }: { readonly spec: ResourceClaimSpec }) =>
    claimSelectors(spec.devices ?? { requests: [] }, "spec.devices"),
  ),
  relations: claimRelations,
  rulesOnUpdate: false,
  columns: (column) => [
    nameColumn,
    column("State", ({ metadata, status }) => {
      const states = metadata.deletionTimestamp ? ["deleted"] : [];
      if (status?.allocation === undefined) return states[0] ?? "pending";
      return [...states, "allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : [])].join(",");
    }),
    ageColumn,
  ],
  subresources: [
    status({
      merge(written, parent) {
        // The registry has decoded the body as a claim.
        const next = written as { status?: ResourceClaimStatus };
        return { ...parent, ...next, spec: parent.spec };
      },
      validate: validateClaimStatus,
    }),
  ],
});
export type ResourceClaim = Static<typeof ResourceClaim>;
