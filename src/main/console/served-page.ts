/** The page of the console at /console/ of a server, for people who have a token for it. */

import type { ConsoleFacts } from "../../ctl/console/gateway.ts";
import { type PageFiles, pageHeaders } from "../../ctl/console/page-files.ts";
import type { Exchange, Handler, ResponseHeaders } from "../../http/contract/exchange.ts";

export const consolePath = "/console/";

const facts: ConsoleFacts = {
  access: "token",
  context: "",
  server: "",
  namespace: "default",
  isReadOnly: false,
  mayTryAs: true,
  user: undefined,
  hasStreams: false,
};

/**
 * The files are the same for everybody and hold no data, and a browser that opens a page cannot send a token with it. So they need no
 * credential, and are answered before the chain. What the page asks then goes through the chain like any other request.
 */
export function withConsolePage(handler: Handler, files: PageFiles): Handler {
  return (exchange) => {
    const path = exchange.target.split("?", 1)[0] ?? "";
    if (path !== "/console" && !path.startsWith(consolePath)) return handler(exchange);
    // As everybody without a credential: the connection is not kept for cheap attacks on framing.
    if (exchange.transport === "http2") exchange.closeAfter();
    const { status, headers, body } = answerTo(exchange, path, files);
    exchange.send(status, { ...pageHeaders, "content-type": "text/plain; charset=utf-8", ...headers }, body);
    return undefined;
  };
}

interface Answer {
  readonly status: number;
  readonly headers?: ResponseHeaders;
  readonly body: Buffer | string;
}

function answerTo({ method }: Exchange, path: string, files: PageFiles): Answer {
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, headers: { allow: "GET, HEAD" }, body: "only GET and HEAD are allowed\n" };
  if (path === "/console") return { status: 308, headers: { location: consolePath }, body: "" };
  const name = path.slice(consolePath.length - 1);
  if (name === "/console.json")
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(facts) };
  const file = files.get(name);
  if (file === undefined) return { status: 404, body: "the console does not have this file\n" };
  return { status: 200, headers: { "content-type": file.type }, body: file.content };
}
