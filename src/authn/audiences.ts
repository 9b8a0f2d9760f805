/** Who a token is meant for. */

import type { AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";

/** Those of `a` that are in `b`, in the order of `a`. */
export function intersect(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((audience) => b.includes(audience));
}

/**
 * For tokens that name no audience: they are good for this server's own. Without any audience asked for they are
 * accepted as they are; otherwise one of the server's must be among those asked for.
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
