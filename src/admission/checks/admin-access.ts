/**
 * Devices that others use may be claimed for maintenance only in namespaces whose label says so: users who may label
 * namespaces decide who has access to the data of others.
 */

import { Namespace } from "../../api/core/v1/namespace.ts";
import type { DeviceClaim } from "../../api/resource/v1/device-claim.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { type Catalog, isVersionOf } from "../../machinery/schema/catalog.ts";
import { forbidden } from "../../machinery/status/field-error.ts";
import { invalidObject } from "../../machinery/status/status.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

interface AdminAccessOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
}

export function createAdminAccessCheck(options: AdminAccessOptions): AdmissionPlugin {
  const label = options.catalog.environment.vocabulary.word("resource.orch.io/admin-access");
  return {
    name: "AdminAccess",
    handles: ({ kind, subresource, operation }) =>
      subresource === "" &&
      operation === "CREATE" &&
      (isVersionOf(kind, ResourceClaim) || isVersionOf(kind, ResourceClaimTemplate)),
    async validate(request) {
      const { kind, namespace, object } = request;
      // The kind of the request is one of the two.
      const { metadata, spec } = object as ResourceClaim | ResourceClaimTemplate;
      const devices: DeviceClaim | undefined = "spec" in spec ? spec.spec.devices : spec.devices;
      const at = (devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
      if (at < 0) return;
      const found = await lookUp(options, options.catalog.of(Namespace), { namespace: "", name: namespace }, request);
      if (found?.metadata.labels?.[label] === "true") return;
      const why = `the namespace does not have the label ${label}=true`;
      const error = forbidden(`spec.devices.requests[${at}].adminAccess`, why);
      throw invalidObject({ group: kind.group, kind: kind.kind }, metadata.name ?? "", [error]);
    },
  };
}
