/** Forwards a request to another server and its answer back, both as streams: nothing is buffered, redirects are not forwarded. */

import type { Agent, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import {
  type AddressCheck,
  checkedLookup,
  type Dial,
  forbiddenAddress,
  type TlsIdentity,
} from "../../base/https-call.ts";
import type { Exchange } from "../../http/contract/exchange.ts";

export interface ForwardOptions {
  /** Scheme, name and path with its query, as the other server will see them. */
  readonly url: URL;
  readonly dial: Dial;
  readonly tls: TlsIdentity;
  /** Checks the address of the connection. */
  readonly allows: AddressCheck;
  readonly agent: Agent;
  /** Headers that are sent in addition to the client's; they replace those of the same name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Names, in lower case, of client headers that must not be forwarded. */
  readonly withheld: (name: string) => boolean;
  /** Headers of the answer in addition to those of the other server; absent: none. */
  readonly answerHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Headers that concern a single connection, and so are never forwarded. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "host",
]);

const redirectFrom = 300;
const redirectTo = 400;

/** Resolves when the whole answer has been forwarded. An error before the answer rejects; a later one destroys the connection. */
export async function forward(exchange: Exchange, options: ForwardOptions): Promise<void> {
  const response = await send(exchange, options);
  const status = response.statusCode ?? 502;
  if (status >= redirectFrom && status < redirectTo && status !== 304) {
    response.destroy();
    throw new Error("the backend attempted to redirect this request, which is not permitted");
  }
  exchange.respond(status, { ...answerHeaders(response), ...options.answerHeaders });
  try {
    for await (const chunk of response) {
      if (exchange.gone) break;
      if (!exchange.write(chunk as Buffer)) await exchange.drained();
    }
    exchange.end();
  } catch {
    exchange.destroy(); // the only way left to show that the answer is incomplete
  } finally {
    response.destroy();
  }
}

function send(exchange: Exchange, options: ForwardOptions): Promise<IncomingMessage> {
  const { url, dial, tls, allows, agent } = options;
  if (isIP(dial.host) !== 0 && !allows(dial.host, dial.port)) throw forbiddenAddress(dial.host, dial.port);
  const request = (url.protocol === "http:" ? requestHttp : requestHttps)({
    host: dial.host,
    port: dial.port,
    path: `${url.pathname}${url.search}`,
    method: exchange.method,
    headers: { ...clientHeaders(exchange, options), ...(options.headers as OutgoingHttpHeaders), host: url.host },
    agent,
    lookup: checkedLookup(allows, dial.port),
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
    servername: tls.serverName ?? url.hostname,
  });
  exchange.onFinish(() => {
    if (exchange.gone) request.destroy();
  });
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", resolve);
    passBody(exchange, request).catch((error: unknown) => {
      request.destroy();
      reject(error);
    });
  });
}

interface Receiver {
  write(chunk: Buffer): boolean;
  once(event: "drain" | "close", callback: () => void): void;
  end(): void;
}

async function passBody(exchange: Exchange, request: Receiver): Promise<void> {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    for await (const chunk of exchange.body()) {
      if (request.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        request.once("drain", resolve);
        request.once("close", resolve);
      });
    }
  }
  request.end();
}

function clientHeaders(exchange: Exchange, { withheld }: ForwardOptions): OutgoingHttpHeaders {
  const listed = new Set((exchange.header("connection") ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const headers: OutgoingHttpHeaders = {};
  for (const name of new Set(exchange.headerNames())) {
    if (hopByHop.has(name) || listed.has(name) || name.startsWith(":") || withheld(name)) continue;
    headers[name] = [...exchange.headerValues(name)];
  }
  const { remoteAddress } = exchange;
  const before = exchange.header("x-forwarded-for");
  if (remoteAddress !== "")
    headers["x-forwarded-for"] = before === undefined ? remoteAddress : `${before}, ${remoteAddress}`;
  return headers;
}

function answerHeaders(response: IncomingMessage): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !hopByHop.has(name)) headers[name] = value;
  }
  return headers;
}
