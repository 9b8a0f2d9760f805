/** Every loop inside the server. None waits for another, so the order does not matter. */

import { keepApiServices } from "./api-services.ts";
import type { RunningUpkeep, Upkeep, UpkeepParts } from "./contract.ts";
import { keepDefinitionCleanup } from "./definition-cleanup.ts";
import { keepDefinitionServices } from "./definition-services.ts";
import { maintainDefinitions } from "./definitions.ts";
import { every } from "./every.ts";
import { keepFlowSchemas } from "./flow-schemas.ts";
import { keepMandatoryObjects } from "./mandatory-objects.ts";
import { expiredIdentityLeases, identityLease } from "./server-identity.ts";
import { storageVersions } from "./storage-versions.ts";
import { tokenTracking } from "./token-tracking.ts";

/** How often claims are compared with services, and the server's own service is checked. */
const repairIntervalMs = 180_000;
const ensureIntervalMs = 10_000;

const periodic = (name: string, intervalMs: number, round: (parts: UpkeepParts) => Promise<void>): Upkeep => ({
  name,
  start: (parts) => every(parts, { name, intervalMs, round: () => round(parts) }),
});

const upkeeps: readonly Upkeep[] = [
  { name: "conditions of flow schemas", start: keepFlowSchemas },
  { name: "conditions of API services", start: keepApiServices },
  { name: "conditions of definitions", start: maintainDefinitions },
  { name: "deleted definitions", start: keepDefinitionCleanup },
  { name: "API services of definitions", start: keepDefinitionServices },
  { name: "mandatory objects", start: keepMandatoryObjects },
  periodic("addresses of services", repairIntervalMs, (parts) => parts.repairAddresses()),
  identityLease,
  expiredIdentityLeases,
  storageVersions,
  tokenTracking,
  periodic("own service", ensureIntervalMs, (parts) => parts.ensureOwnService()),
];

export function startUpkeep(parts: UpkeepParts): RunningUpkeep {
  const running = upkeeps.map((upkeep) => upkeep.start(parts));
  return {
    async close() {
      await Promise.all(running.map((one) => one.close()));
    },
  };
}
