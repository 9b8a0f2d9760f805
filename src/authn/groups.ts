/** Adds the group of everyone who has authenticated. */

import type { Authentication, AuthenticationOutcome, Authenticator, TokenAuthenticator } from "./contract.ts";
import { anonymousUser } from "./contract.ts";

export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";

export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  return {
    name: authenticator.name,
    authenticate: (credentials) => then(authenticator.authenticate(credentials), addGroup),
  };
}

/** The same for a token alone, as a token review asks. */
export function withAuthenticatedGroupOnTokens(authenticator: TokenAuthenticator): TokenAuthenticator {
  return {
    name: authenticator.name,
    authenticateToken: (token, audiences, from) =>
      then(authenticator.authenticateToken(token, audiences, from), addGroup),
  };
}

/** Leaves alone who already says whether it is authenticated, and whoever calls itself anonymous. */
export function addGroup(authentication: Authentication): Authentication {
  const { user } = authentication;
  const settled =
    user.name === anonymousUser.name ||
    user.groups.includes(authenticatedGroup) ||
    user.groups.includes(unauthenticatedGroup);
  if (settled) return authentication;
  return { ...authentication, user: { ...user, groups: [...user.groups, authenticatedGroup] } };
}

function then(
  outcome: AuthenticationOutcome | Promise<AuthenticationOutcome>,
  change: (authentication: Authentication) => Authentication,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  if (outcome instanceof Promise) return outcome.then((settled) => change1(settled, change));
  return change1(outcome, change);
}

function change1(
  outcome: AuthenticationOutcome,
  change: (authentication: Authentication) => Authentication,
): AuthenticationOutcome {
  return outcome === undefined || outcome === "rejected" ? outcome : change(outcome);
}
