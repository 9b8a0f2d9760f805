/** Issues service-account tokens. */

import { SignJWT } from "jose";
import type { Clock } from "../base/clock.ts";
import { accountUserName } from "../machinery/meta/service-account-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { BoundClaims, LegacyClaims } from "./service-account-claims.ts";
import { claimNames, writeBoundClaims, writeLegacyClaims, writeWorkspace } from "./service-account-claims.ts";
import type { SigningKey } from "./signing-keys.ts";

interface TokenSignerOptions {
  readonly issuer: string;
  /** --service-account-signing-key-file. Called when a token is signed. */
  readonly key: () => SigningKey;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Makes the id of each token. Absent: tokens have none, as in v1.21. */
  readonly newId?: (() => string) | undefined;
  /** The uid of the workspace that the tokens are for. Absent: for the root. */
  readonly workspace?: string | undefined;
}

export interface TokenSigner {
  /** `expiresMs`: when the token expires, in milliseconds since 1970. */
  sign(bound: BoundClaims, audiences: readonly string[], lifetimeSeconds: number): Promise<SignedToken>;
  /** A token to be kept in a Secret, which never expires. */
  signLegacy(legacy: LegacyClaims): Promise<string>;
}
interface SignedToken {
  readonly token: string;
  readonly expiresMs: number;
}

export function createTokenSigner(options: TokenSignerOptions): TokenSigner {
  const { issuer, key, vocabulary, clock, newId } = options;
  const names = claimNames(vocabulary);
  const workspace = writeWorkspace(options.workspace, names);
  const signed = (claims: Record<string, unknown>) => {
    const { id: kid, algorithm: alg, key: privateKey } = key();
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
  };
  return {
    async sign(bound, audiences, lifetimeSeconds) {
      const now = Math.floor(clock.now() / 1000);
      const token = await signed({
        aud: [...audiences],
        exp: now + lifetimeSeconds,
        iat: now,
        iss: issuer,
        ...(newId === undefined ? {} : { jti: newId() }),
        ...writeBoundClaims(bound, names),
        ...workspace,
        nbf: now,
        sub: accountUserName({ namespace: bound.namespace, name: bound.account.name }),
      });
      return { token, expiresMs: (now + lifetimeSeconds) * 1000 };
    },
    signLegacy: (legacy) =>
      signed({
        iss: names.legacyIssuer,
        ...writeLegacyClaims(legacy, names),
        ...workspace,
        sub: accountUserName({ namespace: legacy.namespace, name: legacy.account.name }),
      }),
  };
}
