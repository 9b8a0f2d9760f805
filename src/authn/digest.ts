/**
 * Digests of secrets under a random key. Tables of secrets are keyed by digest and secrets are compared by digest, so
 * that neither the time of a comparison nor a copy of the heap reveals anything about a secret.
 */

import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { checkAnswer, checksCaches } from "../base/cache-check.ts";

export interface Digester {
  /**
   * Differs in every process; useful only as a key of a Map. The digest of the last secret of a connection is remembered
   * for that connection: secrets of other connections are never compared with it.
   */
  digest(secret: string, connection?: object): string;
  /** Takes the same time however much the two have in common. */
  equal(a: string, b: string): boolean;
}

export function createDigester(key: Buffer = randomBytes(32)): Digester {
  const hmac = (secret: string) => createHmac("sha256", key).update(secret).digest();
  const prefix = key.toString("hex");
  // Every request computes this digest. It never leaves the process, so an attacker cannot extend it (the weakness of a key
  // prefix that an HMAC does not have), and one call costs a sixth of an HMAC.
  const digest = (secret: string) => hash("sha256", prefix + secret, "base64url");
  const lastOf = new WeakMap<object, { readonly secret: string; readonly digest: string }>();
  return {
    digest(secret, connection) {
      if (connection === undefined) return digest(secret);
      let last = lastOf.get(connection);
      if (last?.secret !== secret) {
        last = { secret, digest: digest(secret) };
        lastOf.set(connection, last);
      } else if (checksCaches) checkAnswer("digests", last.digest, digest(secret));
      return last.digest;
    },
    equal: (a, b) => timingSafeEqual(hmac(a), hmac(b)),
  };
}
