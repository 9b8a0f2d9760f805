/** Leases of server addresses in the store, one key for each. */

import type { Clock } from "../base/clock.ts";
import { type Kv, RevisionConflict } from "../kv/contract.ts";
import type { AddressLeases } from "./contract/allocator.ts";
import { addressLeasePrefix } from "./keys.ts";

/** A lease that is not renewed for this long has ended. Servers renew theirs every ten seconds. */
export const addressLeaseMs = 15_000;

/**
 * No clock of another machine is trusted: each renewal gives the key a new revision, and a reader notes by its own clock when
 * it first saw that revision.
 *
 *     registry/address-leases/192.0.2.7  at 41    seen at 0 s, and again at 10 s: living until 15 s
 *     registry/address-leases/192.0.2.8  at 52    seen at 10 s instead of 43: living until 25 s
 */
export function createAddressLeases(kv: Kv, clock: Clock): AddressLeases {
  const keyOf = (address: string) => `${addressLeasePrefix}${address}`;
  const seen = new Map<string, { readonly revision: bigint; readonly atMs: number }>();
  const value = new Uint8Array(0);

  return {
    async renew(address) {
      const held = await kv.get(keyOf(address));
      await kv.put(keyOf(address), value, held?.revision ?? 0n).catch(unlessConflict); // renewed, by a server at the same address
    },

    async end(address) {
      const held = await kv.get(keyOf(address));
      if (held !== undefined) await kv.delete(held.key, held.revision).catch(unlessConflict);
      seen.delete(address);
    },

    async living() {
      // The time of the question, not of the answer: this process may have been stopped in between.
      const askedMs = clock.monotonic();
      const { entries } = await kv.range(addressLeasePrefix);
      const found = new Map(entries.map(({ key, revision }) => [key.slice(addressLeasePrefix.length), revision]));
      for (const address of seen.keys()) if (!found.has(address)) seen.delete(address);
      const living: string[] = [];
      for (const [address, revision] of found) {
        const known = seen.get(address);
        if (known?.revision !== revision) seen.set(address, { revision, atMs: clock.monotonic() });
        if (known?.revision !== revision || askedMs - known.atMs < addressLeaseMs) living.push(address);
        else await kv.delete(keyOf(address), revision).catch(unlessConflict); // renewed meanwhile: it stays
      }
      return living.sort();
    },
  };
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof RevisionConflict)) throw error;
}
