/** One pass over the volume or the claim that a key names. */

import { hasReason } from "../../client/requests/send.ts";
import { claimKey, volumeKey } from "./follow.ts";
import { type BinderParts, syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

/** The key that must be looked at next, if there is one. */
export async function syncKey(parts: BinderParts, key: string): Promise<string | undefined> {
  try {
    if (key.startsWith(volumeKey(""))) {
      const volume = parts.volumes.get(key.slice(volumeKey("").length));
      const next = volume && (await syncVolume(parts, volume));
      return next && claimKey(next);
    }
    const claim = parts.claims.get(key.slice(claimKey("").length));
    if (claim !== undefined) await syncClaim(parts, claim);
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error; // deleted meanwhile: a watch event follows
  }
  return undefined;
}
