/** Assembles what services need: addresses and ports, and the service of the server itself. */

import { randomInt } from "node:crypto";
import { createAddressObjects } from "../actions/services/address-objects.ts";
import type { AddressRange, NumberedRange } from "../actions/services/address-range.ts";
import { parseAddressRanges, parsePortRange } from "../actions/services/address-range.ts";
import type { AddressPools } from "../actions/services/cluster-ips.ts";
import { createForget } from "../actions/services/endpoints.ts";
import { createServices, servicesFamily } from "../actions/services/services.ts";
import { Service } from "../api/core/v1/service.ts";
import { IPAddress } from "../api/networking/v1/ip-address.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { createAddressLeases } from "../registry/address-leases.ts";
import { createClaims } from "../registry/claims.ts";
import type { Allocator } from "../registry/contract/allocator.ts";
import type { ObjectRef } from "../registry/contract/entry.ts";
import type { Registry } from "../registry/contract/registry.ts";
import type { BootstrapRegistry } from "../upkeep/bootstrap-roles.ts";
import type { UpkeepParts } from "../upkeep/contract.ts";
import { makeDefaultRange } from "../upkeep/default-range.ts";
import {
  createCountReconciler,
  createLeaseReconciler,
  type EndpointReconciler,
  type EndpointReconcilerType,
  noReconciler,
  soleReconciler,
} from "../upkeep/endpoint-reconcilers.ts";
import { createOwnService, type OwnService } from "../upkeep/own-service.ts";
import { unlessUnreadable } from "../upkeep/unless-unreadable.ts";

export interface ServiceRanges {
  /** --service-cluster-ip-range: one, or one of each IP family. */
  readonly addresses: readonly AddressRange[];
  /** --service-node-port-range. */
  readonly nodePorts: NumberedRange;
  /** The node port of the server's own service; 0: none. */
  readonly ownNodePort: number;
  /** The port that the server's own service leads to until the server listens. */
  readonly ownPort: number;
  /** How servers of one store agree on the endpoints of their own service. */
  readonly reconciler: { readonly type: EndpointReconcilerType; readonly serverCount: number };
}

/** The defaults of v1.21. */
export const defaultServiceRanges: ServiceRanges = {
  addresses: parseAddressRanges("10.0.0.0/24"),
  nodePorts: parsePortRange("30000-32767"),
  ownNodePort: 0,
  ownPort: 6443,
  reconciler: { type: "lease", serverCount: 1 },
};

interface ServiceAllocatorOptions {
  readonly kv: Kv;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly ranges: ServiceRanges;
  /** Whether no other server writes to the store. */
  readonly alone: boolean;
  readonly random?: ((below: number) => number) | undefined;
}

export interface ServiceParts {
  readonly allocators: ReadonlyMap<FamilyId, Allocator>;
  /**
   * Called once the registry exists. Resolves when claims agree with services and the server's own service exists. `initial`: of a new
   * store, whose creates may claim nothing.
   */
  start(registry: Registry, catalog: Catalog, initial?: BootstrapRegistry): Promise<StartedServices>;
  /** Starts with a store in which all of that is so already. */
  resume(registry: Registry, catalog: Catalog): StartedServices;
}

/** The service of the server itself, and periodic work. */
export interface StartedServices extends Pick<UpkeepParts, "repairAddresses" | "ensureOwnService"> {
  readonly ownService: OwnService;
}

export function createServiceParts(options: ServiceAllocatorOptions): ServiceParts {
  const { kv, catalog: bound, clock, log, ranges, alone, random = (below: number) => randomInt(below) } = options;
  const { addresses, nodePorts, ownNodePort, ownPort } = ranges;
  // Nothing is deleted before the registry exists.
  let forget: (service: ObjectRef) => Promise<void> = async () => {};
  let known: Registry | undefined;
  // The level may show addresses and their ranges as objects.
  const hasObjects = bound.isServed(bound.of(IPAddress));
  const addressPools: AddressPools = new Map(
    addresses.map((configured) => {
      const { family } = configured;
      const registry = () => {
        if (known === undefined) throw new Error("a service was written before the registry was open");
        return known;
      };
      return [family, createAddressObjects({ family, catalog: bound, registry, configured, random })];
    }),
  );
  const services = createServices({
    claims: createClaims(kv),
    addresses,
    nodePorts,
    reservesPorts: bound.environment.has("reservedPorts"),
    random,
    log,
    ...(hasObjects ? { addressPools } : {}),
    forget: (service) => forget(service),
  });
  const clusterIp = addresses[0]?.at(0) ?? "";
  const reconciler = alone ? aloneWith(ranges.reconciler) : createReconciler(ranges.reconciler, kv, clock);
  const ownParts = (catalog: Catalog) => ({ catalog, log, clusterIp, nodePort: ownNodePort, reconciler });
  const resume: ServiceParts["resume"] = (registry, catalog) => {
    const ownService = createOwnService({ registry, ...ownParts(catalog) });
    forget = createForget(registry, catalog);
    known = registry;
    return {
      ownService,
      ensureOwnService: () => ownService.ensure(ownPort),
      // A write in progress looks like a leaked claim, so only at the start is it certain that there is none.
      repairAddresses: () => services.repair(registry, catalog.of(Service).family, false),
    };
  };
  return {
    allocators: new Map([[servicesFamily, services]]),
    resume,
    async start(registry, catalog, initial) {
      const started = resume(registry, catalog);
      if (hasObjects) await unlessUnreadable(makeDefaultRange(registry, catalog, addresses));
      if (initial !== undefined) await createOwnService({ registry: initial, ...ownParts(catalog) }).ensure(ownPort);
      await services.repair(registry, catalog.of(Service).family, alone);
      await started.ensureOwnService();
      return started;
    },
  };
}

type ReconcilerChoice = ServiceRanges["reconciler"];

function createReconciler({ type, serverCount }: ReconcilerChoice, kv: Kv, clock: Clock): EndpointReconciler {
  switch (type) {
    case "lease":
      return createLeaseReconciler(createAddressLeases(kv, clock));
    case "master-count":
      return createCountReconciler(serverCount);
    case "none":
      return noReconciler;
  }
}

const aloneWith = ({ type }: ReconcilerChoice): EndpointReconciler => (type === "none" ? noReconciler : soleReconciler);
