/** Passes the bearer token of the Authorization header to the token authenticators. */

import { badRequest } from "../machinery/status/status.ts";
import type { Authenticator, Credentials, TokenAuthenticator } from "./contract.ts";

interface BearerOptions {
  readonly tokens: TokenAuthenticator;
  /** The audiences that a token for this server must name one of; empty: not checked here. */
  readonly audiences?: readonly string[];
}

export function createBearer({ tokens, audiences }: BearerOptions): Authenticator {
  return {
    name: "bearer",
    authenticate(credentials) {
      const token = bearerToken(credentials);
      return token === undefined ? undefined : tokens.authenticateToken(token, audiences, credentials);
    },
  };
}

const scheme = "bearer ";

/**
 * The token of `Authorization: Bearer TOKEN`. Undefined: another scheme, or an empty token, which counts as absent. What
 * follows a space after the token is ignored. Two Authorization headers are refused: which one counts would
 * depend on who reads them.
 */
export function bearerToken(credentials: Credentials): string | undefined {
  const values = credentials.headerValues("authorization");
  if (values.length > 1) throw badRequest("the request has more than one Authorization header");
  const given = values[0]?.trim();
  if (given === undefined || given.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const end = given.indexOf(" ", scheme.length);
  const token = given.slice(scheme.length, end < 0 ? undefined : end);
  return token === "" ? undefined : token;
}
