/** Refuses new external IPs of services: a service with one receives traffic that is meant for that address. */

import { Service } from "../../api/core/v1/service.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createDenyServiceExternalIPs(): AdmissionPlugin {
  return plugin("DenyServiceExternalIPs", [
    on(Service, ["CREATE", "UPDATE"], {
      validate(request) {
        const had = new Set(request.old?.spec?.externalIPs);
        const added = (request.object.spec?.externalIPs ?? []).find((address) => !had.has(address));
        if (added === undefined) return;
        throw refuse(request, `spec.externalIPs: may not be added to; ${added} is new`);
      },
    }),
  ]);
}
