/** A TokenReview asks whom a token belongs to. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, list, map, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const TokenReviewSpec = struct("authentication.v1.TokenReviewSpec", {
  token: elided(string()).at(1),
  audiences: elided(list(string())).at(2),
});
export type TokenReviewSpec = Static<typeof TokenReviewSpec>;

export const UserInfo = struct("authentication.v1.UserInfo", {
  username: elided(string()).at(1),
  uid: elided(string()).at(2),
  groups: elided(list(string())).at(3),
  extra: elided(map(list(string(), { wrapped: true }))).at(4),
});
export type UserInfo = Static<typeof UserInfo>;

export const TokenReviewStatus = struct("authentication.v1.TokenReviewStatus", {
  authenticated: elided(bool()).at(1),
  user: elided(UserInfo).at(2),
  error: elided(string()).at(3),
  audiences: elided(list(string())).at(4),
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
  doc: "A TokenReview asks whom a token belongs to.",
  fields: {
    spec: TokenReviewSpec.at(2),
    status: elided(TokenReviewStatus).at(3),
  },
});
export type TokenReview = Static<typeof TokenReview>;
