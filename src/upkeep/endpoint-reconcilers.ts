/** The ways in which servers of one store agree on the addresses behind their own service: --endpoint-reconciler-type. */

import type { AddressLeases } from "../registry/contract/allocator.ts";

export const endpointReconcilerTypes = ["lease", "master-count", "none"] as const;
export type EndpointReconcilerType = (typeof endpointReconcilerTypes)[number];

/** The addresses that follow from those that are listed now. */
export type NextAddresses = (listed: readonly string[]) => readonly string[];

export interface EndpointReconciler {
  /** Called at the start and then at intervals, with the address of this server. Undefined: nothing is written. */
  join(address: string): Promise<NextAddresses | undefined>;
  /** Called when this server stops. */
  leave(address: string): Promise<NextAddresses | undefined>;
}

/** Servers renew a lease each; an address is listed as long as its lease is renewed. */
export function createLeaseReconciler(leases: AddressLeases): EndpointReconciler {
  return {
    async join(address) {
      await leases.renew(address);
      const living = await leases.living();
      // The own lease was just renewed. Should the store not show it, the list must not become empty.
      return () => (living.length > 0 ? living : [address]);
    },
    async leave(address) {
      await leases.end(address);
      const living = await leases.living();
      return () => living;
    },
  };
}

/** As many addresses as --apiserver-count says are kept. An address that is not in use is only replaced by a new one. */
export function createCountReconciler(count: number): EndpointReconciler {
  return {
    join: async (address) => (listed) => withinCount(listed, address, count),
    leave: async (address) => (listed) => listed.filter((other) => other !== address),
  };
}

/** No other server writes to the store, so no other address can be right. */
export const soleReconciler: EndpointReconciler = {
  join: async (address) => () => [address],
  // Nothing serves the list while this server is away, and the next start corrects it.
  leave: async () => undefined,
};

/** The server does not write the endpoints. */
export const noReconciler: EndpointReconciler = { join: async () => undefined, leave: async () => undefined };

/**
 * Adds the own address; if there are then too many, those that follow it in the sorted list go first. Every server does
 * the same, so the list becomes right when all of them have run:
 *
 *     count 3, listed 10.0.0.1 10.0.0.2 10.0.0.9, own 10.0.0.3  ->  10.0.0.1 10.0.0.2 10.0.0.3
 */
function withinCount(listed: readonly string[], own: string, count: number): readonly string[] {
  if (listed.includes(own) && listed.length <= count) return listed;
  const addresses = [...new Set([...listed, own])].sort();
  while (addresses.length > count && addresses.length > 1) {
    const at = addresses.indexOf(own);
    addresses.splice((at + 1) % addresses.length, 1);
  }
  return addresses;
}
