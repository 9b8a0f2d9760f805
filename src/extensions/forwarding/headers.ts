/** Which headers of a client reach another server, and which of that server's headers reach the client. */

import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { RequestFacts } from "../../http/contract/routes.ts";

export type AnswerHeaders = Record<string, string | readonly string[]>;

/** Headers that concern a single connection, and so are never forwarded. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect", // already answered by this server
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A WebSocket protocol that contains a bearer token. */
const tokenProtocol = "base64url.bearer.";

/** The client's headers without those of the connection, its credentials, and every header that could name a user. */
export function clientHeaders(exchange: Exchange, facts: Pick<RequestFacts, "consumedHeaders">): OutgoingHttpHeaders {
  const listed = listedIn(exchange.header("connection"));
  const spent = new Set(facts.consumedHeaders);
  const headers: OutgoingHttpHeaders = {};
  for (const name of new Set(exchange.headerNames())) {
    if (hopByHop.has(name) || listed.has(name) || spent.has(name) || name.startsWith(":") || isIdentity(name)) continue;
    const values = [...exchange.headerValues(name)];
    headers[name] = name === "sec-websocket-protocol" ? withoutToken(values) : values;
  }
  const { remoteAddress } = exchange;
  if (remoteAddress !== "")
    headers["x-forwarded-for"] = [...exchange.headerValues("x-forwarded-for"), remoteAddress].join(", ");
  return headers;
}

/** Servers that read headers as CGI variables take an underscore for a dash. */
export const isIdentity = (given: string): boolean => {
  const name = given.replaceAll("_", "-");
  return name === "authorization" || name.startsWith("x-remote-") || name.startsWith("impersonate-");
};

function withoutToken(values: readonly string[]): string[] {
  const protocols = values.flatMap((value) => value.split(",")).map((protocol) => protocol.trim());
  return [protocols.filter((protocol) => !protocol.startsWith(tokenProtocol)).join(", ")];
}

export function answerHeaders(response: IncomingMessage): AnswerHeaders {
  const listed = listedIn(response.headers.connection);
  const headers: AnswerHeaders = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !hopByHop.has(name) && !listed.has(name)) headers[name] = value;
  }
  return headers;
}

/** The names that a Connection header lists concern that connection only. */
function listedIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
