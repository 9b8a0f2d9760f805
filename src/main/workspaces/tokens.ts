/** Tokens of service accounts of workspaces: which workspace a token says that it is for, before anything in it is checked. */

import { bearerToken } from "../../authn/bearer.ts";
import type { Credentials } from "../../authn/contract.ts";
import { peekToken } from "../../authn/jwt.ts";
import { claimNames, workspaceIn } from "../../authn/service-account-claims.ts";
import { createWebsocketTokenReader } from "../../authn/websocket-token.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** The uid of a workspace. Undefined: the request has no such token. */
export function createClaimedWorkspace(vocabulary: Vocabulary): (credentials: Credentials) => string | undefined {
  const names = claimNames(vocabulary);
  const readWebsocketToken = createWebsocketTokenReader(vocabulary);
  return (credentials) => {
    let token: string | undefined;
    try {
      token = bearerToken(credentials);
    } catch {
      return undefined; // the root says what is wrong with it
    }
    if (token === undefined) {
      const sent = readWebsocketToken(credentials);
      token = typeof sent === "object" ? sent.value : undefined;
    }
    const claims = token === undefined ? undefined : peekToken(token)?.claims;
    return claims && workspaceIn(claims, names);
  };
}
