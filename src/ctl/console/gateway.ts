/** The console on a local port: its page, and requests of the page to the server with the user's credentials. */

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sender } from "../../client/requests/send.ts";
import type { NamedUser } from "../server/named-user.ts";
import {
  type RequestRefusal,
  readAs,
  refuseForeign,
  refuseSocket,
  refuseTarget,
  refuseWithoutSecret,
} from "./checks.ts";
import { ConsoleForwards } from "./forwards.ts";
import { type PageFiles, pageHeaders } from "./page-files.ts";
import { createShells, shellPath } from "./shells.ts";
import type { StreamAccess } from "./streams.ts";

/** More than any object that a server stores. */
export const bodyBytesMax = 8 * 1024 * 1024;

/** What the page has to know before its first request to the server. */
export interface ConsoleFacts {
  /** "link": the secret of the link is enough, and requests go through the gateway; "token": they go to the server, with a token. */
  readonly access: "link" | "token";
  readonly context: string;
  readonly server: string;
  readonly namespace: string;
  readonly isReadOnly: boolean;
  /** Whether reads can be tried as another user: not where the console itself acts as another one. */
  readonly mayTryAs: boolean;
  /** The user in the credentials, for servers without SelfSubjectReview. Undefined: they name no user. */
  readonly user: NamedUser | undefined;
  /** Whether the program opens shells and forwards ports. */
  readonly hasStreams: boolean;
}

interface GatewayOptions {
  readonly send: Sender;
  /** Undefined: there are no shells and no forwarded ports. They could change anything, so a read-only console has none. */
  readonly streams: StreamAccess | undefined;
  readonly files: PageFiles;
  readonly facts: Omit<ConsoleFacts, "hasStreams">;
  readonly secret: string;
  /** 0: any free one. */
  readonly port: number;
}

interface Gateway {
  readonly port: number;
  /** Lets the process end while the gateway is open. */
  unref(): void;
  close(): Promise<void>;
}

/** The part after # stays in the browser: it is in no request and in no log. */
export const linkOf = ({ port }: Pick<Gateway, "port">, secret: string): string =>
  `http://127.0.0.1:${port}/#secret=${secret}`;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const streams = options.facts.isReadOnly ? undefined : options.streams;
  const shells = streams && createShells(streams);
  const forwards = streams && new ConsoleForwards(streams, options.send);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    answer({ ...options, forwards }, port, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuseUnreachable(response, error);
    });
  });
  server.on("upgrade", (request, socket, head) => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const isShell = request.url?.split("?", 1)[0] === shellPath && shells !== undefined;
    const refusal = refuseSocket(request.headers, { port, secret: options.secret });
    if (refusal === undefined && isShell) return shells.accept(request, socket, head);
    const { status, message } = refusal ?? { status: 404, message: "there are no shells here" };
    socket.on("error", () => socket.destroy());
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: ${message.length}\r\n\r\n${message}`,
    );
  });
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    unref: () => void server.unref(),
    async close() {
      shells?.close();
      forwards?.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Only programs of this machine can connect. */
function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

const serverPrefix = "/server/";
/** What the server sees as the client: people look for the requests of others, not for those of the page. */
const consoleAgent = "console";

interface Answering extends GatewayOptions {
  readonly forwards: ConsoleForwards | undefined;
}

async function answer(
  options: Answering,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { facts, files, secret, forwards } = options;
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
  const foreign = refuseForeign(request.headers, port);
  if (foreign !== undefined) return refuse(response, foreign);
  const url = request.url ?? "/";
  const isPlainRead = request.method === "GET" || request.method === "HEAD";
  const file = isPlainRead ? files.get(url.split("?", 1)[0] ?? "/") : undefined;
  if (file !== undefined) {
    response.setHeader("content-type", file.type);
    return void response.end(file.content);
  }
  const unknown = refuseWithoutSecret(request.headers, secret);
  if (unknown !== undefined) return refuse(response, unknown);
  if (url === "/console.json" && isPlainRead) {
    response.setHeader("content-type", "application/json");
    return void response.end(JSON.stringify({ ...facts, hasStreams: forwards !== undefined } satisfies ConsoleFacts));
  }
  if (forwards !== undefined && /^\/forwards(\/\d+)?$/.test(url)) return answerForwards(forwards, request, response);
  if (!url.startsWith(serverPrefix)) return refuse(response, { status: 404, message: "there is no such page" });
  const target = url.slice(serverPrefix.length - 1);
  const method = request.method ?? "GET";
  const refusal = refuseTarget(method, target, facts.isReadOnly);
  if (refusal !== undefined) return refuse(response, refusal);
  const as = readAs(request.headers, method, facts);
  if (typeof as === "object") return refuse(response, as);
  const body = await readBody(request);
  if (body === undefined) return refuse(response, { status: 413, message: `more than ${bodyBytesMax} bytes` });
  await forward(options.send, { method, target, body, as, request, response });
}

/** The ports that are forwarded: GET all, POST one more, DELETE one. */
async function answerForwards(
  forwards: ConsoleForwards,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = "" } = request;
  const id = Number(url.split("/")[2] ?? 0);
  if (method === "GET" && id === 0) return sendJson(response, forwards.list());
  if (method === "DELETE" && id > 0) return sendJson(response, { isEnded: forwards.end(id) });
  if (method !== "POST" || id > 0) return refuse(response, { status: 405, message: `there is no ${method} of a port` });
  const body = await readBody(request);
  try {
    sendJson(response, await forwards.open(JSON.parse(body ?? "null")));
  } catch (error) {
    refuse(response, { status: 422, message: error instanceof Error ? error.message : String(error) });
  }
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

interface Forwarded {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  /** The user that the request is tried as; undefined: the user's own. */
  readonly as: string | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function forward(send: Sender, { method, target, body, as, request, response }: Forwarded): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { accept, "content-type": contentType } = request.headers;
  const given = await send.open(target, {
    method,
    accept: accept ?? "application/json",
    headers: { "user-agent": consoleAgent, ...(as === undefined ? {} : { "impersonate-user": as }) },
    ...(body === "" ? {} : { body, contentType: contentType ?? "application/json" }),
    signal: gone.signal,
    accepts: () => true, // whatever it is, it is for the page
  });
  response.statusCode = given.status;
  for (const name of ["content-type", "warning", "retry-after"]) {
    const value = given.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  // The first bytes of a watch may take a while, and the page waits for the head.
  response.flushHeaders();
  if (given.body === null) return void response.end();
  // The two declarations of web streams differ in methods that are not used here.
  const source = Readable.fromWeb(given.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(source, response).catch((error: unknown) => {
    if (!gone.signal.aborted) throw error;
  });
}

/** Undefined: too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece = Buffer.from(chunk as Uint8Array); // no encoding is set, so that chunks are bytes
    bytes += piece.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Marked, so that the page does not take it for an answer of the server. */
function refuseUnreachable(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  response.setHeader("x-console-unreachable", message.replaceAll(/[^\x20-\x7e]/g, " ").slice(0, 200));
  refuse(response, { status: 502, message });
}

function refuse(response: ServerResponse, { status, message }: RequestRefusal): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  // The rest of a body that is too large is not read.
  if (status === 413) response.setHeader("connection", "close");
  response.end(`${JSON.stringify({ kind: "Status", status: "Failure", message, code: status })}\n`);
}
