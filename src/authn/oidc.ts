/** Tokens of the provider of the --oidc-* flags: claims name the user and groups. */

import { getOwn } from "../machinery/json/json-value.ts";
import type { User } from "../machinery/meta/user.ts";
import type { TokenAuthenticator } from "./contract.ts";
import type { JwtClaims } from "./jwt.ts";
import { createJwtIssuer, type JwtIssuerOptions } from "./jwt-issuer.ts";

interface OidcOptions extends Omit<JwtIssuerOptions, "audiences" | "identify"> {
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
}

export function createOidc(options: OidcOptions): TokenAuthenticator {
  return createJwtIssuer({
    ...options,
    audiences: [options.clientId],
    identify: (claims) => identify(claims, options),
  });
}

function identify(claims: JwtClaims, options: OidcOptions): User | undefined {
  for (const [claim, value] of options.requiredClaims) if (getOwn(claims, claim) !== value) return undefined;
  const name = userName(claims, options);
  const groups = groupsOf(claims, options);
  return name === undefined || groups === undefined ? undefined : { name, uid: "", groups, extra: new Map() };
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
