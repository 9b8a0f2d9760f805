/** Claims on names, one key for each: the store gives a name to only one of several claimants. */

import { type Kv, RevisionConflict } from "../kv/contract.ts";
import type { NameClaims } from "./contract/allocator.ts";
import { claimPrefix } from "./keys.ts";
import { translateKvErrors } from "./store-errors.ts";

/**
 * A worked example, after two services took addresses and the first of them was deleted:
 *
 *   registry/claims/services/IPv4/10.0.0.7  ->  (gone)
 *   registry/claims/services/IPv4/10.0.0.9  ->  uid of the second service
 */
export function createClaims(kv: Kv): NameClaims {
  const keyOf = (pool: string, name: string) => `${claimPrefix}${pool}/${name}`;
  const read = async (pool: string, name: string) => {
    const entry = await kv.get(keyOf(pool, name)).catch(translateKvErrors);
    return entry && { holder: Buffer.from(entry.value).toString(), revision: entry.revision };
  };
  return {
    async take(pool, name, holder) {
      try {
        await kv.put(keyOf(pool, name), Buffer.from(holder), 0n);
        return true;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) return translateKvErrors(error);
        return false;
      }
    },
    async free(pool, name, holder) {
      const found = await read(pool, name);
      if (found?.holder !== holder) return;
      try {
        await kv.delete(keyOf(pool, name), found.revision);
      } catch (error) {
        // Another writer has freed it, and it may have another holder by now.
        if (!(error instanceof RevisionConflict)) translateKvErrors(error);
      }
    },
    async held(pool) {
      const prefix = keyOf(pool, "");
      const { entries } = await kv.range(prefix, { damaged: true }).catch(translateKvErrors);
      // A name whose claim is damaged can be neither taken nor freed.
      const whole = entries.filter(({ damage }) => damage === undefined);
      return new Map(
        whole.map(({ key, value, revision }) => [
          key.slice(prefix.length),
          { holder: Buffer.from(value).toString(), revision },
        ]),
      );
    },
  };
}
