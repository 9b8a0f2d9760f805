/** The allocator of services: it allocates addresses and node ports when they are written, and releases them on deletion. */

import { needsHealthCheckPort, needsNodePort } from "../../api/core/v1/service/preparation.ts";
import type { ServiceSpec } from "../../api/core/v1/service/spec.ts";
import { validateTrafficCombination } from "../../api/core/v1/service/validate.ts";
import { Service } from "../../api/core/v1/service.ts";
import type { Log } from "../../base/log.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import { familyIdOf } from "../../machinery/schema/identity.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { FieldErrors } from "../../machinery/status/field-error.ts";
import { invalidObject } from "../../machinery/status/status.ts";
import type { AllocationWrite, Allocator, NameClaims } from "../../registry/contract/allocator.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { AddressRange, NumberedRange } from "./address-range.ts";
import { type AddressPools, clusterIpsOf, freeClusterIps, takeClusterIps } from "./cluster-ips.ts";
import { DryHolding, Holding } from "./holding.ts";
import { fillFamilies } from "./ip-families.ts";
import { nodePortsOf, takeNodePorts } from "./node-ports.ts";
import { createPool, type Holder, type Pool } from "./pool.ts";
import { repairClaims } from "./repair.ts";
import { portReserve, reservedOf } from "./search-order.ts";

interface ServicesOptions {
  readonly claims: NameClaims;
  /** One, or one of each IP family; the first is the default. */
  readonly addresses: readonly AddressRange[];
  readonly nodePorts: NumberedRange;
  /** Whether the first node ports are left to services that name theirs. Default: false. */
  readonly reservesPorts?: boolean;
  /** A whole number from 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
  readonly log: Log;
  /** In place of pools of `addresses`, by IP family. */
  readonly addressPools?: AddressPools;
  /** Called when a service has been deleted, to delete its endpoints too. */
  readonly forget?: (service: ObjectRef) => Promise<void>;
}

export interface Services extends Allocator {
  /**
   * Makes claims and services agree: what a service has belongs to it, and what no service has becomes free. `alone`: no
   * other server writes to the store; otherwise a claim without a service may belong to a write in progress on another
   * server, and is released only if the next call still finds no service for it.
   */
  repair(registry: Registry, family: Family, alone: boolean): Promise<void>;
}

export const servicesFamily = familyIdOf(Service);

export function createServices(options: ServicesOptions): Services {
  const { claims, addresses, nodePorts, random, log, forget } = options;
  const pools: AddressPools =
    options.addressPools ??
    new Map(
      addresses.map((range) => [range.family, createPool({ claims, name: `services/${range.family}`, range, random })]),
    );
  const reserved = options.reservesPorts ? reservedOf(nodePorts.size, portReserve) : 0;
  const ports = createPool({ claims, name: "services/node-ports", range: nodePorts, random, reserved });
  const families = addresses.map(({ family }) => family);
  const suspects = new Map<string, bigint>();

  const free = async (items: Items, holder: Holder): Promise<void> => {
    await freeClusterIps(items.ips, holder, pools);
    await Promise.all(items.ports.map((port) => ports.free(port, ports.identify(holder))));
  };

  return {
    async begin(write) {
      const { object, old, dryRun } = write;
      const holder = holderOf(object);
      const holding = dryRun ? new DryHolding(holder) : new Holding(holder);
      try {
        await fill(write, holding, { pools, ports, families });
      } catch (error) {
        await holding.giveBack();
        throw error;
      }
      return {
        async stored() {
          if (old !== undefined && !dryRun) await free(without(itemsOf(old), itemsOf(object)), holder);
        },
        failed: () => holding.giveBack(),
      };
    },
    async end(object) {
      const { namespace, name } = holderOf(object);
      await free(itemsOf(object), holderOf(object));
      await forget?.({ namespace, name });
    },
    repair: (registry, family, alone) =>
      repairClaims({ registry, family, pools, ports, suspects, alone, log, itemsOf }),
  };
}

const holderOf = ({ metadata: { uid = "", namespace = "", name = "" } }: ApiObject): Holder => ({
  uid,
  namespace,
  name,
});

/** What a service holds. */
export interface Items {
  readonly ips: readonly string[];
  readonly ports: readonly string[];
}

function itemsOf(object: ApiObject): Items {
  const { spec = {} } = object as { spec?: ServiceSpec }; // all that this family holds are services
  return { ips: clusterIpsOf(spec), ports: nodePortsOf(spec) };
}

const without = (items: Items, kept: Items): Items => ({
  ips: items.ips.filter((ip) => !kept.ips.includes(ip)),
  ports: items.ports.filter((port) => !kept.ports.includes(port)),
});

async function fill(
  { family, object, old, dryRun }: AllocationWrite,
  holding: Holding,
  { pools, ports, families }: { pools: AddressPools; ports: Pool; families: readonly AddressRange["family"][] },
): Promise<void> {
  const refuse = (errors: FieldErrors) => {
    const { group, kind } = family.hub;
    if (errors.length > 0) throw invalidObject({ group, kind }, object.metadata.name ?? "", errors);
  };
  const { spec } = object as { spec?: ServiceSpec };
  if (spec === undefined) return;
  const before = (old as { spec?: ServiceSpec } | undefined)?.spec;
  if (family.environment.gates.enabled("IPv6DualStack"))
    refuse(fillFamilies(spec, before, families, family.environment));
  // A dry run shows no address, since none is reserved for the caller, unless there are proposals.
  const isShown = !dryRun || [...pools.values()].every(({ propose }) => propose !== undefined);
  if (isShown) refuse(await takeClusterIps(spec, before, holding, pools));
  refuse(await takeNodePorts({ spec, before, holding, pool: ports }));
  if (before !== undefined) dropTrafficFields(spec, before);
  refuse(validateTrafficCombination(spec, family.environment));
}

/** A change of type removes what only the old type could have. */
function dropTrafficFields(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) delete spec.healthCheckNodePort;
  if (needsNodePort(before) && !needsNodePort(spec)) delete spec.externalTrafficPolicy;
}
