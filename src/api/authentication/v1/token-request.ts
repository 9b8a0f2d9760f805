/** A TokenRequest requests a token of a service account. */

import {
  elided,
  int64,
  list,
  map,
  nullable,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const BoundObjectReference = struct("authentication.v1.BoundObjectReference", {
  kind: elided(string()).at(1).doc("The kind of the object that the token is bound to: Pod or Secret."),
  apiVersion: elided(string()).at(2).doc("The API version of the object: v1."),
  name: elided(string()).at(3).doc("The name of the object in the namespace of the service account."),
  uid: elided(string()).at(4).doc("The uid of the object. Absent: that of the object at the time of the request."),
});
export type BoundObjectReference = Static<typeof BoundObjectReference>;

export const TokenRequestSpec = struct("authentication.v1.TokenRequestSpec", {
  audiences: list(string())
    .listed(false, "1.36")
    .at(1)
    .doc("Who the token is for; a recipient must reject a token that does not name it. Empty: the API server."),
  boundObjectRef: nullable(BoundObjectReference)
    .at(3)
    .doc(
      "A pod or secret; the token becomes invalid when it is deleted. Absent: the token is bound to the service account only.",
    ),
  expirationSeconds: nullable(int64())
    .at(4)
    .doc("How long the token should be valid, at least 600 seconds; the server may grant another time. Default: 3600."),
  attestations: elided(map(list(string(), { wrapped: true })))
    .at(5)
    .since("1.37")
    .doc("What the node agent vouches for, by key. Kept out of tokens."),
});
export type TokenRequestSpec = Static<typeof TokenRequestSpec>;

const TokenRequestStatus = struct("authentication.v1.TokenRequestStatus", {
  token: string().listed(false, "1.36").at(1).doc("The issued token, to be sent as a bearer token. Set by the server."),
  expirationTimestamp: time().listed(false, "1.36").at(2).doc("When the token expires. Set by the server."),
});

export const TokenRequest = kind({
  group: "authentication.orch.io",
  version: "v1",
  kind: "TokenRequest",
  resource: "tokenrequests",
  scope: "Namespaced",
  verbs: [],
  doc: "A TokenRequest requests a token of a service account.",
  confidential: ["status.token"],
  fields: {
    spec: TokenRequestSpec.listed(false, "1.36").at(2).doc("The audiences, lifetime and bound object of the token."),
    status: elided(TokenRequestStatus).at(3).doc("The issued token, set by the server."),
  },
});
export type TokenRequest = Static<typeof TokenRequest>;
