/** When a bootstrap token is deleted. */

import { Secret } from "../../api/core/v1/secret.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { timeLeft } from "../parts/bootstrap-tokens/secrets.ts";
import { type Plan, remove } from "../plan.ts";

/** Undefined: the token never expires. */
export function planTokenCleaning(secret: Secret, nowMs: number): Plan | undefined {
  const leftMs = timeLeft(secret, nowMs);
  if (leftMs === undefined) return undefined;
  if (leftMs > 0) return { reviewInMs: leftMs };
  const { uid, resourceVersion } = secret.metadata;
  const options = { uid, resourceVersion, reason: "the token has expired" };
  return { writes: [remove(Secret, splitKey(keyOf(secret)), options)] };
}
