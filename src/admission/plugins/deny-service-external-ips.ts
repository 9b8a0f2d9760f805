/** Refuses new external addresses of services: whoever sets one would get traffic that is meant for somebody else. */

import type { Service } from "../../api/core/v1/service.ts";
import { isAbout, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

export function createDenyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: "DenyServiceExternalIPs",
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") && isAbout(request, "", "services"),
    validate(request) {
      const next = request.object as unknown as Service; // `handles` lets only services through
      const old = request.old as unknown as Service | undefined;
      const had = new Set(old?.spec?.externalIPs);
      const added = (next.spec?.externalIPs ?? []).find((address) => !had.has(address));
      if (added === undefined) return;
      throw refuse(request, `spec.externalIPs: may not be added to; ${added} is new`);
    },
  };
}
