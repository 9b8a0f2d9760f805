/** A TokenRequest asks for a token of a service account. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int64, list, nullable, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const BoundObjectReference = struct("authentication.v1.BoundObjectReference", {
  kind: elided(string()).at(1),
  apiVersion: elided(string()).at(2),
  name: elided(string()).at(3),
  uid: elided(string()).at(4),
});
export type BoundObjectReference = Static<typeof BoundObjectReference>;

export const TokenRequestSpec = struct("authentication.v1.TokenRequestSpec", {
  audiences: list(string()).at(1),
  boundObjectRef: nullable(BoundObjectReference).at(3),
  expirationSeconds: nullable(int64()).at(4),
});
export type TokenRequestSpec = Static<typeof TokenRequestSpec>;

export const TokenRequestStatus = struct("authentication.v1.TokenRequestStatus", {
  token: string().at(1),
  expirationTimestamp: time().at(2),
});
export type TokenRequestStatus = Static<typeof TokenRequestStatus>;

export const TokenRequest = kind({
  group: "authentication.orch.io",
  version: "v1",
  kind: "TokenRequest",
  resource: "tokenrequests",
  scope: "Namespaced",
  verbs: [],
  doc: "A TokenRequest asks for a token of a service account.",
  fields: {
    spec: TokenRequestSpec.at(2),
    status: elided(TokenRequestStatus).at(3),
  },
});
export type TokenRequest = Static<typeof TokenRequest>;
