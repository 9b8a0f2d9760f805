/** A handler of requests as a listener of `node:http`, `node:https` and Express. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Listens for a server of Node or for Express. It must come before parsers of bodies, because it reads the body itself.
 * @example
 * http.createServer(nodeListener(server.handler({ authenticate }))).listen(8080);
 * app.use("/cluster", nodeListener(server.handler({ authenticate })));
 */
export function nodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once("close", () => left.abort(new Error("the client has left")));
    send(handler, incoming, outgoing, left.signal).catch(() => {
      // The client has left, or the answer broke off: its reader must not take it for a whole one.
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.destroy();
    });
  };
}

async function send(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const answer = await handler(requestOf(incoming, signal));
  outgoing.writeHead(answer.status, [...answer.headers].flat());
  if (answer.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders(); // the first event of a watch may come much later
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), outgoing); // the same class under two names
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", rawHeaders, headers } = incoming;
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  const body =
    method === "GET" || method === "HEAD" || !hasBody ? {} : { body: Readable.toWeb(incoming), duplex: "half" };
  return new Request(new URL(incoming.url ?? "/", "http://in-process"), {
    method,
    headers: pairs.filter(([name]) => !name.startsWith(":")),
    signal,
    ...body,
  } as RequestInit); // Node's types of streams and of fetch differ
}
