/**
 * A server with a node agent, for tests, over real TLS: objects are those of an orch server, and containers are local
 * processes in a folder. It speaks the streaming protocols of v1.21, or breaks them as a test requests.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { makeCertificate, serverAuth } from "../../base/certificate.suite.ts";
import { writeDer, writeExtension } from "../../base/der-write.ts";
import { acceptSpdy, acceptWebSocket, type ServerChannels } from "../../client/streams/server-channels.suite.ts";
import { createServer as createOrch, type OrchServer } from "../../main/library.ts";

export interface NodeServer extends AsyncDisposable {
  readonly url: string;
  /** For all requests that are not streams. */
  readonly objects: OrchServer;
  /** How it behaves; a test may change it. */
  behaviour: NodeBehaviour;
  /** The folder in which processes of containers run. */
  readonly folder: string;
  /** A client configuration file. */
  readonly config: string;
  /** Each request for a stream, with its method, URL and headers. */
  readonly asked: { method: string; url: URL; headers: IncomingMessage["headers"] }[];
  /** The messages on the channel for the size of the terminal. */
  readonly sizes: string[];
  /** Creates a running pod with containers of these names. */
  pod(
    name: string,
    more?: { labels?: object; annotations?: object; containers?: object[]; phase?: string },
  ): Promise<void>;
}

export interface NodeBehaviour {
  /** The WebSocket protocol versions that it supports. Default: ["v4"], as v1.21. */
  readonly webSocket?: readonly string[];
  /** Default: true. */
  readonly spdy?: boolean;
  /** Handles requests for streams itself; true: handled. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex) => boolean;
  /** A command that runs instead of the requested one. */
  readonly command?: readonly string[];
  /** Answers requests for logs. */
  readonly onLog?: (url: URL, response: ServerResponse) => void;
}

const authority = makeCertificate({ subject: [["2.5.4.3", "nodes root"]], authority: true });
const serving = makeCertificate({
  subject: [["2.5.4.3", "nodes"]],
  issuer: authority,
  usages: [serverAuth],
  moreExtensions: [writeExtension("2.5.29.17", writeDer(0x30, [writeDer(0x87, Buffer.from([127, 0, 0, 1]))]))],
});

export async function openNodeServer(): Promise<NodeServer> {
  const objects = await createOrch({ controllers: false, vocabulary: "kubernetes" });
  const home = mkdtempSync(join(tmpdir(), "orch-node-"));
  const folder = join(home, "container");
  mkdirSync(folder);
  const asked: NodeServer["asked"] = [];
  const sizes: string[] = [];
  const key = serving.privateKey.export({ type: "pkcs8", format: "pem" });
  const server = createServer({ key, cert: serving.pem }, (request, response) => {
    void answer(made, request, response);
  });
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const url = new URL(request.url ?? "/", "https://node");
    asked.push({ method: request.method ?? "", url, headers: request.headers });
    if (made.behaviour.onUpgrade?.(request, socket) === true) return;
    void stream({ behaviour: made.behaviour, request, socket, head, url, folder, sizes });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = join(home, "config");
  const cluster = { server: url, "certificate-authority-data": Buffer.from(authority.pem).toString("base64") };
  writeFileSync(
    config,
    JSON.stringify({
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: "secret-token" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
    { mode: 0o600 },
  );
  const made: NodeServer = {
    url,
    behaviour: {},
    objects,
    folder,
    config,
    asked,
    sizes,
    async pod(
      name,
      { labels = {}, annotations = {}, containers = [{ name: "main", image: "i" }], phase = "Running" } = {},
    ) {
      const path = "/api/v1/namespaces/default/pods";
      const metadata = { name, labels, annotations };
      const body = {
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        spec: { nodeName: "node", containers },
        status: { phase },
      };
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const made = await objects.fetch(path, init);
      if (!made.ok) throw new Error(await made.text());
      const patch = JSON.stringify({ status: { phase, startTime: "2021-01-01T00:00:00Z" } });
      const headers = { "content-type": "application/merge-patch+json" };
      await objects.fetch(`${path}/${name}/status`, { method: "PATCH", headers, body: patch });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await objects.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return made;
}

async function answer(server: NodeServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { objects, behaviour } = server;
  const url = new URL(request.url ?? "/", "https://node");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (url.pathname.endsWith("/log") && behaviour.onLog !== undefined) return behaviour.onLog(url, response);
  const isStream = /\/pods\/[^/]+\/(exec|attach|portforward)$/.test(url.pathname);
  if (isStream) return sendStatus(response, 400, "BadRequest", "Upgrade request required");
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = new Headers();
  for (const name of ["accept", "content-type"])
    if (request.headers[name] !== undefined) headers.set(name, String(request.headers[name]));
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString("utf8") };
  try {
    const given = await objects.fetch(request.url ?? "/", {
      method: request.method ?? "GET",
      headers,
      signal: gone.signal,
      ...body,
    });
    response.writeHead(given.status, Object.fromEntries(given.headers));
    for await (const chunk of given.body ?? []) response.write(chunk);
    response.end();
  } catch {
    response.destroy();
  }
}

const statusText = (code: number, reason: string, message: string): string =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });

function sendStatus(response: ServerResponse, code: number, reason: string, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(statusText(code, reason, message));
}

/** Refuses a stream with a Status, like a server that checks authorization first. */
export function refuseStream(socket: Duplex, code: number, reason: string, message: string): void {
  const body = statusText(code, reason, message);
  socket.end(
    `HTTP/1.1 ${code} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

interface StreamRequest {
  readonly behaviour: NodeBehaviour;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly url: URL;
  readonly folder: string;
  readonly sizes: string[];
}

async function stream(asked: StreamRequest): Promise<void> {
  const { behaviour, request, socket, head, url } = asked;
  const { webSocket = ["v4"], spdy = true } = behaviour;
  const refuse = () => socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  const isPort = url.pathname.endsWith("/portforward");
  let channels: ServerChannels;
  if (request.headers.upgrade?.toLowerCase() === "websocket") {
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/,\s*/);
    const protocol = offered.find((one) => webSocket.includes(one.replace(/\.channel\.k8s\.io$/, "")));
    if (protocol === undefined || request.method !== "GET") return void refuse();
    channels = acceptWebSocket(request, socket, head, protocol);
  } else {
    const protocol = String(request.headers["x-stream-protocol-version"]);
    if (!spdy || isPort || protocol !== "v4.channel.k8s.io") return void refuse();
    const count =
      1 + ["stdin", "stdout", "stderr", "tty"].filter((name) => url.searchParams.get(name) === "true").length;
    channels = await acceptSpdy(socket, head, protocol, count);
  }
  if (isPort) forwardPort(channels, Number(url.searchParams.get("ports")));
  else runProcess(channels, asked);
}

/** The process for attach: a shell that reads its input. */
const attached = ["sh", "-c", "while read line; do echo got $line; done"];

function runProcess(channels: ServerChannels, { url, folder, sizes, behaviour }: StreamRequest): void {
  const words = url.pathname.endsWith("/attach") ? attached : url.searchParams.getAll("command");
  const [command = "", ...args] = behaviour.command ?? words;
  const child = spawn(command, args, { cwd: folder });
  const stdin = url.searchParams.get("stdin") === "true";
  if (!stdin) child.stdin.end();
  child.stdin.on("error", () => {});
  channels.onClose = () => child.kill("SIGKILL");
  channels.onData = (channel, data) => {
    if (channel === 4 && data !== undefined) sizes.push(data.toString("utf8"));
    if (channel !== 0) return;
    if (data === undefined) child.stdin.end();
    else child.stdin.write(data);
  };
  const say = async (status: object) => {
    await channels.send(3, Buffer.from(JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...status })));
    channels.end();
  };
  child.on(
    "error",
    (error) => void say({ status: "Failure", reason: "InternalError", message: error.message, code: 500 }),
  );
  const pass = async (channel: number, source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) await channels.send(channel, chunk);
  };
  const isTerminal = url.searchParams.get("tty") === "true";
  const passed = Promise.all([pass(1, child.stdout), pass(isTerminal ? 1 : 2, child.stderr)]);
  child.on("exit", (code) => {
    void passed.then(() =>
      code === 0
        ? say({ status: "Success" })
        : say({
            status: "Failure",
            reason: "NonZeroExitCode",
            message: `command terminated with non-zero exit code: exit status ${code}`,
            details: { causes: [{ reason: "ExitCode", message: String(code) }] },
          }),
    );
  });
}

function forwardPort(channels: ServerChannels, port: number): void {
  const start = Buffer.alloc(2);
  start.writeUInt16LE(port);
  void channels.send(0, start);
  void channels.send(1, start);
  const socket = connect(port, "127.0.0.1");
  channels.onClose = () => socket.destroy();
  channels.onData = (channel, data) => {
    if (channel === 0 && data !== undefined) socket.write(data);
  };
  socket.on("error", (error) => {
    void channels.send(1, Buffer.from(`error forwarding port ${port}: ${error.message}`)).then(() => channels.end());
  });
  void (async () => {
    for await (const chunk of socket) await channels.send(0, chunk as Buffer);
    channels.end();
  })().catch(() => {});
}
