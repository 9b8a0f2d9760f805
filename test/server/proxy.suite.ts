/** A server that proxies, backends on this machine, and clients of it, for tests. */

import { createServer as createPlain, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecure, request } from "node:https";
import { type AddressInfo, connect, createServer as createSockets, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { issueAuthority, issueServing } from "../../src/main/pki/issue.ts";
import type { Vocabulary } from "../../src/vocabulary/vocabulary.ts";

/** An address of this machine that is not loopback, which Endpoints must have. Undefined: it has none. */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
}

export interface TestBackend {
  readonly port: number;
  /** The requests received, in order, upgrades included. */
  readonly seen: Seen[];
  readonly open: Set<Socket>;
  connections(): number;
  close(): Promise<void>;
}

export interface BackendOptions {
  readonly answer?: RequestListener;
  /** Takes over a connection that asks for another protocol. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex) => void;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly host?: string;
}

export async function openBackend({ answer, upgrade, tls, host = "127.0.0.1" }: BackendOptions): Promise<TestBackend> {
  const seen: Seen[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const note = ({ method = "", url = "", headers }: IncomingMessage) => seen.push({ method, url, headers });
  const listener: RequestListener = (incoming, response) => {
    note(incoming);
    if (answer === undefined) response.end("hello");
    else answer(incoming, response);
  };
  const server = tls === undefined ? createPlain(listener) : createSecure(tls, listener);
  if (upgrade !== undefined) {
    server.on("upgrade", (incoming: IncomingMessage, socket: Duplex) => {
      socket.on("error", () => {});
      note(incoming);
      upgrade(incoming, socket);
      // Servers of node:http keep their side open, and do not notice a close while they do not read.
      socket.on("end", () => socket.end());
      socket.resume();
    });
  }
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    open,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** A server that sends arbitrary bytes once it has received a request. */
export async function openRawBackend(speak: (socket: Socket) => void): Promise<Pick<TestBackend, "port" | "close">> {
  const server = createSockets((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export const authority = issueAuthority("backends", systemClock);
/** A certificate for these names, from `authority`. */
export function certificateFor(...hosts: string[]): { readonly key: string; readonly cert: string } {
  const { key, certificate } = issueServing(authority, { commonName: "backend", hosts }, systemClock);
  return { key, cert: certificate };
}

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

export interface ProxyingServer {
  readonly server: OrchServer;
  readonly url: string;
  ask(
    path: string,
    options?: {
      readonly method?: string;
      readonly headers?: Record<string, string | string[]>;
      readonly body?: string;
    },
  ): Promise<ProxyAnswer>;
  /** Sends this text over TLS and resolves with the connection. */
  raw(text: string): Promise<Duplex>;
  post(path: string, body: object): Promise<number>;
  /** A pod with an address and a few ports. */
  pod(
    name: string,
    address: string,
    options?: { readonly ports?: object[]; readonly annotations?: object },
  ): Promise<void>;
  close(): Promise<void>;
}

export const core = "/api/v1/namespaces/default";
export const token = "token-of-the-test";

export async function openProxyingServer(vocabulary: Vocabulary["name"] = "orch"): Promise<ProxyingServer> {
  const server = await createServer({
    proxyLocalTargets: "allow",
    vocabulary,
    tokens: { [token]: { name: "ann" } },
    controllers: false,
  });
  const url = await server.listen();
  const send = (method: string, path: string, body: object, type = "application/json") =>
    server.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
  const { authority: ca } = await server.clientConfig();
  return {
    server,
    url,
    ask: (path, { method = "GET", headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const call = request(
          `${url}${path}`,
          { method, ca, agent: false, headers: { authorization: `Bearer ${token}`, ...headers } },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on("data", (chunk: Buffer) => chunks.push(chunk));
            answer.on("error", reject);
            answer.on("end", () => {
              const text = Buffer.concat(chunks).toString("latin1");
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
            });
          },
        );
        call.on("error", reject);
        if (body !== undefined) call.setHeader("content-length", Buffer.byteLength(body));
        call.end(body);
      }),
    raw: (text) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url);
        const socket = connectTls({ socket: connect(Number(port), hostname), ca, servername: "localhost" }, () => {
          socket.write(text);
          resolve(socket);
        });
        socket.once("error", reject);
      }),
    post: async (path, body) => (await send("POST", path, body)).status,
    async pod(name, address, { ports = [], annotations = {} } = {}) {
      const containers = [{ name: "c", image: "i", ports }];
      const made = await send("POST", `${core}/pods`, { metadata: { name, annotations }, spec: { containers } });
      const status = { status: { podIP: address, podIPs: [{ ip: address }] } };
      const set = await send("PATCH", `${core}/pods/${name}/status`, status, "application/merge-patch+json");
      if (made.status !== 201 || set.status !== 200) throw new Error(`${made.status} ${await set.text()}`);
    },
    close: () => server.close(),
  };
}

export interface ProxyFixture {
  proxying(): ProxyingServer;
  backend(options: BackendOptions): Promise<TestBackend>;
  /** Creates a pod in front of a backend; the path up to "/proxy". */
  podOf(backend: Pick<TestBackend, "port">, scheme?: string, annotations?: object): Promise<string>;
}

/** One proxying server for all tests of a file, closed after them together with the backends they opened. */
export function proxyFixture(): ProxyFixture {
  let proxying: ProxyingServer;
  const backends: TestBackend[] = [];
  let pods = 0;
  beforeAll(async () => {
    proxying = await openProxyingServer();
  });
  afterAll(async () => {
    await proxying.close();
    for (const one of backends) await one.close();
  });
  return {
    proxying: () => proxying,
    async backend(options) {
      const opened = await openBackend(options);
      backends.push(opened);
      return opened;
    },
    async podOf({ port }, scheme = "http", annotations = {}) {
      const name = `p${++pods}`;
      await proxying.pod(name, "127.0.0.1", { annotations });
      return `${core}/pods/${scheme}:${name}:${port}/proxy`;
    },
  };
}
