/** Adds the group of all authenticated users. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import type { User } from "../machinery/meta/user.ts";
import type { AuthenticationOutcome, Authenticator, TokenAuthenticator } from "./contract.ts";
import { anonymousUser } from "./contract.ts";

const authenticatedGroup = "system:authenticated";
const unauthenticatedGroup = "system:unauthenticated";

export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  const addTo = createGroupAdder();
  return {
    name: authenticator.name,
    authenticate(credentials) {
      const outcome = authenticator.authenticate(credentials);
      return outcome instanceof Promise ? outcome.then(addTo) : addTo(outcome);
    },
  };
}

/** Adds the group to the user of a token alone, as in a token review. */
export function withAuthenticatedGroupOnTokens(authenticator: TokenAuthenticator): TokenAuthenticator {
  const addTo = createGroupAdder();
  return {
    name: authenticator.name,
    authenticateToken(token, audiences, from) {
      const outcome = authenticator.authenticateToken(token, audiences, from);
      return outcome instanceof Promise ? outcome.then(addTo) : addTo(outcome);
    },
  };
}

/** A remembered user (of a certificate or a static token) stays the same object for all its requests. */
function createGroupAdder(): (outcome: AuthenticationOutcome) => AuthenticationOutcome {
  const known = new WeakMap<User, User>();
  return (outcome) => {
    if (outcome === undefined || outcome === "rejected") return outcome;
    let user = known.get(outcome.user);
    if (user === undefined) {
      user = addGroup(outcome.user);
      known.set(outcome.user, user);
    } else if (checksCaches) checkAnswer("users with groups", user, addGroup(outcome.user));
    return user === outcome.user ? outcome : { ...outcome, user };
  };
}

/** Does not change a user that already has one of the two groups, or the anonymous user. */
function addGroup(user: User): User {
  const settled =
    user.name === anonymousUser.name ||
    user.groups.includes(authenticatedGroup) ||
    user.groups.includes(unauthenticatedGroup);
  return settled ? user : { ...user, groups: [...user.groups, authenticatedGroup] };
}
