/** A bearer token inside the list of WebSocket protocols, since browsers cannot set headers on a WebSocket. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { Authenticator, Credentials, TokenAuthenticator } from "./contract.ts";
import { tokenCharsMax } from "./jwt.ts";

interface WebsocketTokenOptions {
  readonly tokens: TokenAuthenticator;
  readonly audiences: readonly string[];
  readonly vocabulary: Vocabulary;
}

/**
 * Reads `Sec-WebSocket-Protocol: base64url.bearer.authorization.DOMAIN.TOKEN, other`. The list must contain another protocol,
 * because the server answers with one of them, and that must not be the token.
 */
export function createWebsocketToken({ tokens, audiences, vocabulary }: WebsocketTokenOptions): Authenticator {
  const read = createWebsocketTokenReader(vocabulary);
  return {
    name: "websocket-bearer",
    authenticate(credentials) {
      const token = read(credentials);
      if (token === undefined || token === "rejected") return token;
      return tokens.authenticateToken(token.value, audiences, credentials);
    },
  };
}

/** Undefined: the request has no such token. "rejected": it is not sent as it must be. */
export function createWebsocketTokenReader(
  vocabulary: Vocabulary,
): (credentials: Credentials) => { readonly value: string } | "rejected" | undefined {
  const prefix = `base64url.bearer.${vocabulary.group("authorization.orch.io")}.`;
  return (credentials) => {
    if ((credentials.header("upgrade") ?? "").toLowerCase() !== "websocket") return undefined;
    const protocols = credentials
      .headerValues("sec-websocket-protocol")
      .flatMap((value) => value.split(","))
      .map((protocol) => protocol.trim());
    const carrying = protocols.filter((protocol) => protocol.startsWith(prefix));
    if (carrying.length === 0) return undefined;
    const value = decode(carrying[0]!.slice(prefix.length));
    return carrying.length > 1 || protocols.length < 2 || value === undefined ? "rejected" : { value };
  };
}

/** Undefined: empty, too long, or not base64url of a text. */
function decode(encoded: string): string | undefined {
  if (encoded === "" || encoded.length > tokenCharsMax * 2 || !/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  const token = Buffer.from(encoded, "base64url").toString("utf8");
  return token === "" ? undefined : token;
}
