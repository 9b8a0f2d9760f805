/** Tokens of an OpenID Connect provider: its signature, our client id, and claims that name the user and groups. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { getOwn } from "../machinery/json/json-value.ts";
import type { AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";
import { createDigester, type Digester } from "./digest.ts";
import { audiencesOf, isTimely, type JwtClaims, peekToken } from "./jwt.ts";
import type { CredentialMetrics } from "./metrics.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { createLoadingTokenCache } from "./token-cache.ts";

export interface OidcOptions {
  readonly provider: OidcProvider;
  /** --oidc-client-id: must be among the audiences of a token. */
  readonly clientId: string;
  /** --oidc-username-claim. */
  readonly usernameClaim: string;
  /** --oidc-username-prefix; "": the issuer and `#`, unless the claim is `email`; "-": none. */
  readonly usernamePrefix: string;
  /** --oidc-groups-claim; "": groups of tokens are not read. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  /** --oidc-required-claim. */
  readonly requiredClaims: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly digester?: Digester;
  /** Absent: nothing is counted. */
  readonly metrics?: CredentialMetrics | undefined;
}

const verifiedTtlMs = 60_000;
const refusedTtlMs = 10_000;

export function createOidc(options: OidcOptions): TokenAuthenticator {
  const { provider, clock, log, digester = createDigester() } = options;
  const verified = createLoadingTokenCache<JwtClaims | undefined>({
    clock,
    digester,
    metrics: options.metrics?.tokenCache,
    load: async (token) => {
      try {
        const claims = await provider.verify(token);
        return { value: claims, ttlMs: claims === undefined ? refusedTtlMs : verifiedTtlMs };
      } catch (error) {
        log.warn("openid provider failed", { reason: error instanceof Error ? error.message : "unknown" });
        return { value: undefined, ttlMs: 0 };
      }
    },
  });
  const decide = (claims: JwtClaims | undefined): AuthenticationOutcome =>
    claims === undefined ? "rejected" : identify(claims, options);
  return {
    name: "oidc",
    authenticateToken(token) {
      if (peekToken(token)?.claims.iss !== provider.issuer) return "rejected";
      const claims = verified.get(token);
      return claims instanceof Promise ? claims.then(decide) : decide(claims);
    },
  };
}

function identify(claims: JwtClaims, options: OidcOptions): AuthenticationOutcome {
  const { clientId, clock, requiredClaims } = options;
  if (claims.iss !== options.provider.issuer || claims.exp === undefined) return "rejected";
  if (!audiencesOf(claims)?.includes(clientId) || !isTimely(claims, clock.now())) return "rejected";
  for (const [claim, value] of requiredClaims) if (getOwn(claims, claim) !== value) return "rejected";
  const name = userName(claims, options);
  const groups = groupsOf(claims, options);
  if (name === undefined || groups === undefined) return "rejected";
  const { jti } = claims;
  const credential = typeof jti === "string" && jti !== "" ? { credentialId: `token ${jti}` } : {};
  return { user: { name, uid: "", groups, extra: new Map() }, by: "oidc", ...credential };
}

/** Undefined: the claim is missing, or an address that the provider has not verified. */
function userName(claims: JwtClaims, { usernameClaim, usernamePrefix, provider }: OidcOptions): string | undefined {
  const value = getOwn(claims, usernameClaim);
  if (typeof value !== "string" || value === "") return undefined;
  const isEmail = usernameClaim === "email";
  if (isEmail && Object.hasOwn(claims, "email_verified") && claims.email_verified !== true) return undefined;
  if (usernamePrefix === "-") return value;
  return `${usernamePrefix === "" && !isEmail ? `${provider.issuer}#` : usernamePrefix}${value}`;
}

/** Undefined: the claim is neither a text nor a list of texts. Absent: no groups. */
function groupsOf(claims: JwtClaims, { groupsClaim, groupsPrefix }: OidcOptions): string[] | undefined {
  const value = groupsClaim === "" ? undefined : getOwn(claims, groupsClaim);
  if (value === undefined) return [];
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || !list.every((group) => typeof group === "string")) return undefined;
  return list.map((group) => `${groupsPrefix}${group}`);
}
