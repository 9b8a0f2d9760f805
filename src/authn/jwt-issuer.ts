/** Tokens of one issuer: its signature, one of our audiences, and the user that the claims stand for. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { User } from "../machinery/meta/user.ts";
import type { AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";
import { createDigester, type Digester } from "./digest.ts";
import { audiencesOf, isTimely, type JwtClaims, peekToken } from "./jwt.ts";
import type { CredentialMetrics } from "./metrics.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { createLoadingTokenCache } from "./token-cache.ts";

export interface JwtIssuerOptions {
  readonly provider: OidcProvider;
  /** A token must be for one of them. */
  readonly audiences: readonly string[];
  /** Undefined: the claims do not stand for a user. They have been verified; their times are checked later. */
  readonly identify: (claims: JwtClaims) => User | undefined | Promise<User | undefined>;
  readonly clock: Clock;
  readonly log: Log;
  readonly digester?: Digester;
  /** Absent: nothing is counted. */
  readonly metrics?: CredentialMetrics | undefined;
}

const verifiedTtlMs = 60_000;
const refusedTtlMs = 10_000;

/** A token that the issuer has signed for us, and whom it stands for: what does not depend on the time is found out once. */
interface Verified {
  readonly claims: JwtClaims;
  readonly user: User;
}

export function createJwtIssuer(options: JwtIssuerOptions): TokenAuthenticator {
  const { provider, clock, log, digester = createDigester() } = options;
  const verified = createLoadingTokenCache<Verified | undefined>({
    clock,
    digester,
    metrics: options.metrics?.tokenCache,
    load: async (token) => {
      try {
        const claims = await provider.verify(token);
        const value = claims && (await identifyOnce(claims, options));
        return { value, ttlMs: value === undefined ? refusedTtlMs : verifiedTtlMs };
      } catch (error) {
        log.warn("openid provider failed", { reason: error instanceof Error ? error.message : "unknown" });
        return { value: undefined, ttlMs: 0 };
      }
    },
  });
  const decide = (found: Verified | undefined): AuthenticationOutcome => {
    if (found === undefined || !isTimely(found.claims, clock.now())) return "rejected";
    const { jti } = found.claims;
    const credential = typeof jti === "string" && jti !== "" ? { credentialId: `token ${jti}` } : {};
    return { user: found.user, by: "oidc", ...credential };
  };
  return {
    name: "oidc",
    authenticateToken(token) {
      if (peekToken(token)?.claims.iss !== provider.issuer) return "rejected";
      const found = verified.get(token);
      return found instanceof Promise ? found.then(decide) : decide(found);
    },
  };
}

/** Expressions of an operator may take long with claims that a user has chosen, so they run once for a token. */
async function identifyOnce(claims: JwtClaims, options: JwtIssuerOptions): Promise<Verified | undefined> {
  const { provider, audiences, clock, identify } = options;
  if (claims.iss !== provider.issuer || claims.exp === undefined) return undefined;
  if (!audiencesOf(claims)?.some((one) => audiences.includes(one)) || !isTimely(claims, clock.now())) return undefined;
  const user = await identify(claims);
  return user && { claims, user };
}
