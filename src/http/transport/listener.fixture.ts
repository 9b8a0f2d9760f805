/** A server on a real port, and well-behaved or hostile clients for it. */

import { once } from "node:events";
import { request } from "node:https";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { silentLog } from "../../base/log.ts";
import type { Listener, ListenerOptions } from "../contract/listener.ts";
import { admin, openTestServer, type TestServer } from "../server.fixture.ts";
import { selfSigned } from "./certificate.fixture.ts";
import { openListener } from "./listen.ts";

export const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";

export interface TestListener {
  readonly server: TestServer;
  readonly port: number;
  /** Another port of the same server. */
  open(options?: Partial<ListenerOptions>): Promise<Listener>;
  tls(options?: ConnectionOptions): Promise<TLSSocket>;
  get(path: string, method?: string, body?: string): Promise<[number, string]>;
  /** Sends raw bytes over TLS and returns everything received until the connection closes or `ms` have passed. */
  raw(text: string, ms?: number): Promise<string>;
  close(): Promise<void>;
}

/** Every caller is the administrator. The certificate is issued for "orch.test". */
export async function openTestListener(): Promise<TestListener> {
  const serving = selfSigned("orch.test");
  const server = await openTestServer({ authenticator: { authenticate: () => ({ user: admin, by: "test" }) } });
  const { handler } = server;
  const open = (options: Partial<ListenerOptions> = {}) =>
    openListener({ handler, host: "127.0.0.1", port: 0, serving, log: silentLog, ...options });
  const listener = await open();
  const { port } = listener;

  const tls = (options: ConnectionOptions = {}): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () =>
        resolve(socket),
      );
      socket.on("error", reject);
    });

  return {
    server,
    port,
    open,
    tls,
    get: (path, method = "GET", body) =>
      new Promise((resolve, reject) => {
        const sent = request(
          { host: "127.0.0.1", port, path, method, rejectUnauthorized: false, agent: false },
          async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk);
            resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8")]);
          },
        );
        sent.on("error", reject);
        sent.end(body);
      }),
    async raw(text, ms = 500) {
      const socket = await tls();
      let seen = "";
      socket.on("data", (chunk) => {
        seen += chunk.toString("latin1");
      });
      socket.write(text);
      await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, ms))]);
      socket.destroy();
      return seen;
    },
    async close() {
      await server.close();
      await listener.close(100);
    },
  };
}
