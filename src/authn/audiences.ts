/** The audiences of a token. */

import type { AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";

/** Those of `a` that are in `b`, in the order of `a`. */
export function intersect(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((audience) => b.includes(audience));
}

/**
 * For tokens that name no audience: they are valid for this server's own. If no audience is requested they are
 * accepted unchanged; otherwise one of the server's audiences must be among the requested ones.
 */
export function withServerAudiences(
  authenticator: TokenAuthenticator,
  serverAudiences: readonly string[],
): TokenAuthenticator {
  return {
    name: authenticator.name,
    authenticateToken(token, audiences, from) {
      const outcome = authenticator.authenticateToken(token, audiences, from);
      if (audiences === undefined || audiences.length === 0) return outcome;
      const common = intersect(serverAudiences, audiences);
      return outcome instanceof Promise ? outcome.then((settled) => limit(settled, common)) : limit(outcome, common);
    },
  };
}

function limit(outcome: AuthenticationOutcome, audiences: readonly string[]): AuthenticationOutcome {
  if (outcome === undefined || outcome === "rejected") return outcome;
  return audiences.length === 0 ? "rejected" : { ...outcome, audiences };
}
