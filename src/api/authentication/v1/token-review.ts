/** A TokenReview finds the user of a token. */

import { bool, elided, list, map, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const TokenReviewSpec = struct("authentication.v1.TokenReviewSpec", {
  token: elided(string()).listed(true, "1.36").at(1).doc("The bearer token to check. Required."),
  audiences: elided(list(string()))
    .at(2)
    .doc("Accepted audiences; the token must be for at least one of them. Empty: the API server."),
});
export type TokenReviewSpec = Static<typeof TokenReviewSpec>;

export const UserInfo = struct("authentication.v1.UserInfo", {
  username: elided(string()).at(1).doc("The name of the user, unique among all active users."),
  uid: elided(string()).at(2).doc("An identifier that stays unique when a name is used again."),
  groups: elided(list(string())).at(3).doc("The groups of the user that the token belongs to."),
  extra: elided(map(list(string(), { wrapped: true })))
    .at(4)
    .doc("Further information from the authenticator, by key."),
});
export type UserInfo = Static<typeof UserInfo>;

export const TokenReviewStatus = struct("authentication.v1.TokenReviewStatus", {
  authenticated: elided(bool()).at(1).doc("Whether the token belongs to a known user."),
  user: elided(UserInfo).at(2).doc("The user that the token belongs to."),
  error: elided(string()).at(3).doc("Why the token could not be checked."),
  audiences: elided(list(string())).at(4).doc("The audiences of the request that the token is for."),
});
export type TokenReviewStatus = Static<typeof TokenReviewStatus>;

export const TokenReview = kind({
  group: "authentication.orch.io",
  version: "v1",
  kind: "TokenReview",
  resource: "tokenreviews",
  scope: "Cluster",
  verbs: ["create"],
  action: "tokenreviews",
  doc: "A TokenReview finds the user of a token.",
  confidential: ["spec.token"],
  fields: {
    spec: TokenReviewSpec.at(2).doc("The token to check, and the audiences it must be valid for."),
    status: elided(TokenReviewStatus).at(3).doc("The result of the check, set by the server."),
  },
});
export type TokenReview = Static<typeof TokenReview>;
