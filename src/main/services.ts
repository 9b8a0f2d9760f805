/** Puts services together: their addresses and ports, the upkeep of both, and the service of the server itself. */

import { randomInt } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { createClaims } from "../registry/claims.ts";
import type { ObjectRef, Registry, Strategy } from "../registry/contract.ts";
import type { AddressRange, Range } from "../strategies/services/address-range.ts";
import { parseAddressRanges, parsePortRange } from "../strategies/services/address-range.ts";
import { createForget } from "../strategies/services/endpoints.ts";
import { createServices, servicesFamily } from "../strategies/services/services.ts";
import { createOwnService, type OwnService } from "./own-service.ts";

export interface ServiceRanges {
  /** --service-cluster-ip-range: one, or one of each IP family. */
  readonly addresses: readonly AddressRange[];
  /** --service-node-port-range. */
  readonly nodePorts: Range;
  /** The node port of the server's own service; 0: none. */
  readonly ownNodePort: number;
  /** The port that the server's own service leads to until the server listens. */
  readonly ownPort: number;
}

/** What v1.21 takes where nothing is said. */
export const defaultServiceRanges: ServiceRanges = {
  addresses: parseAddressRanges("10.0.0.0/24"),
  nodePorts: parsePortRange("30000-32767"),
  ownNodePort: 0,
  ownPort: 6443,
};

/** How often claims are compared with services, and the server's own service is looked for. */
const repairIntervalMs = 180_000;
const ensureIntervalMs = 10_000;

export interface ServicesOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly log: Log;
  readonly ranges: ServiceRanges;
  /** Whether no other server writes to the store. */
  readonly alone: boolean;
  readonly random: ((below: number) => number) | undefined;
}

export interface ServiceParts {
  readonly strategies: ReadonlyMap<FamilyId, Strategy>;
  /** Once the registry is there. Resolves when claims agree with services and the server's own service exists. */
  start(registry: Registry, catalog: Catalog): Promise<OwnService>;
  stop(): void;
}

export function createServiceParts({ kv, clock, log, ranges, alone, random }: ServicesOptions): ServiceParts {
  const { addresses, nodePorts, ownNodePort, ownPort } = ranges;
  // Nothing is deleted before the registry is there.
  let forget: (service: ObjectRef) => Promise<void> = async () => {};
  const services = createServices({
    claims: createClaims(kv),
    addresses,
    nodePorts,
    random: random ?? ((below) => randomInt(below)),
    log,
    forget: (service) => forget(service),
  });
  const stops: (() => void)[] = [];
  return {
    strategies: new Map([[servicesFamily, services]]),
    async start(registry, catalog) {
      const family = catalog.families().find(({ id }) => id === servicesFamily);
      const own = createOwnService({
        registry,
        catalog,
        log,
        clusterIp: addresses[0]?.at(0) ?? "",
        nodePort: ownNodePort,
        alone,
      });
      if (family === undefined) return own;
      forget = createForget(registry, catalog);
      const repair = () => services.repair(registry, family, alone);
      const ensure = () => own.ensure(ownPort);
      await repair();
      await ensure();
      // A write under way looks like a leak, so only the start may be sure that there is none.
      stops.push(every(clock, log, repairIntervalMs, () => services.repair(registry, family, false)));
      stops.push(every(clock, log, ensureIntervalMs, ensure));
      return own;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Again and again, one round after the other; a round that fails is logged. */
function every(clock: Clock, log: Log, intervalMs: number, round: () => Promise<void>): () => void {
  let stopped = false;
  let cancel = (): void => {};
  const schedule = (): void => {
    if (stopped) return;
    cancel = clock.after(intervalMs, () => {
      round()
        .catch((error: unknown) => {
          if (!stopped) log.warn("upkeep of services failed", { error });
        })
        .finally(schedule);
    });
  };
  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
