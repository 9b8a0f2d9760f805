/**
 * Tries authenticators in order; the first that recognizes the caller decides. A credential that was presented and that
 * no authenticator accepted leads to a 401, never to an anonymous request.
 */

import { unauthorized } from "../machinery/status/status.ts";
import type {
  Authentication,
  AuthenticationOutcome,
  Authenticator,
  RequestAuthenticator,
  TokenAuthenticator,
} from "./contract.ts";

interface UnionOptions {
  /** In order: front proxy, client certificate, bearer tokens. */
  readonly authenticators: readonly Authenticator[];
  /**
   * Names (lower case) of headers that may carry an identity or a secret: whichever authenticator accepts, they are never
   * passed on. A trailing `*` stands for any rest.
   */
  readonly secretHeaders?: readonly string[];
}

export function createUnion(options: UnionOptions): RequestAuthenticator {
  const { authenticators, secretHeaders = ["authorization"] } = options;
  const finish = (outcome: AuthenticationOutcome): Authentication | undefined => {
    if (outcome === "rejected") throw unauthorized();
    return outcome;
  };
  return {
    authenticate(credentials) {
      const outcome = firstOf(authenticators, 0, false, (one) => one.authenticate(credentials));
      return outcome instanceof Promise ? outcome.then(finish) : finish(outcome);
    },
    isConsumed: (header) => matches(secretHeaders, header),
  };
}

/** Asks each for a token: the first that accepts the token decides; `rejected` if none does. */
export function createTokenUnion(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    name: "tokens",
    authenticateToken: (token, audiences, from) =>
      firstOf(authenticators, 0, true, (one) => one.authenticateToken(token, audiences, from)),
  };
}

/** Synchronous as long as the authenticators are. */
function firstOf<T>(
  list: readonly T[],
  start: number,
  rejected: boolean,
  ask: (one: T) => AuthenticationOutcome | Promise<AuthenticationOutcome>,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  let refused = rejected;
  for (let index = start; index < list.length; index++) {
    const outcome = ask(list[index]!);
    if (outcome instanceof Promise) {
      return outcome.then((settled) => {
        if (settled !== undefined && settled !== "rejected") return settled;
        return firstOf(list, index + 1, refused || settled === "rejected", ask);
      });
    }
    if (outcome !== undefined && outcome !== "rejected") return outcome;
    if (outcome === "rejected") refused = true;
  }
  return refused ? "rejected" : undefined;
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((p) => (p.endsWith("*") ? name.startsWith(p.slice(0, -1)) : p === name));
}
