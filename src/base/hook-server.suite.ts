/** A webhook server over real TLS for tests: it gives the answers that the test chooses, even dishonest ones. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { type Authority, makeCertificate, serverAuth } from "./certificate.suite.ts";
import { writeDer, writeExtension } from "./der-write.ts";

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface HookServer {
  /** "https://127.0.0.1:PORT". */
  readonly url: string;
  readonly port: number;
  /** PEM of its certificate authority. */
  readonly authority: string;
  /** PEM of its own certificate. */
  readonly certificate: string;
  /** The certificate, encoded as in a webhook configuration. */
  readonly caBundle: string;
  /** The requests received, in order: path with query, and body. */
  readonly calls: { readonly path: string; readonly body: string; readonly headers: IncomingMessage["headers"] }[];
  /** How many connections were opened. */
  connections(): number;
  onConnection(listener: (socket: TLSSocket) => void): void;
  close(): Promise<void>;
}

const root = makeCertificate({ subject: [["2.5.4.3", "hooks root"]], authority: true });
const names = [
  writeDer(0x87, Buffer.from([127, 0, 0, 1])),
  ...["localhost", "hook.shop.svc"].map((name) => writeDer(0x82, Buffer.from(name))),
];
/** The extension with the names by which tests call the server. */
export const hookNames = writeExtension("2.5.29.17", writeDer(0x30, names));
const serving = makeCertificate({
  subject: [["2.5.4.3", "hooks"]],
  issuer: root,
  usages: [serverAuth],
  moreExtensions: [hookNames],
});

/** `certificate`: its own, with those that it sends after it. */
export async function openHookServer(
  answer: Answer,
  certificate: readonly Authority[] = [serving],
): Promise<HookServer> {
  const key = certificate[0]!.privateKey.export({ type: "pkcs8", format: "pem" });
  const cert = certificate.map(({ pem }) => pem).join("");
  const calls: HookServer["calls"] = [];
  const sockets = new Set<Duplex>();
  let connections = 0;
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      calls.push({ path: request.url ?? "", body, headers: request.headers });
      answer(request, response, body);
    });
  });
  server.on("secureConnection", () => {
    connections += 1;
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    authority: root.pem,
    certificate: certificate[0]!.pem,
    caBundle: Buffer.from(root.pem).toString("base64"),
    calls,
    connections: () => connections,
    onConnection: (listener) => void server.on("secureConnection", listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
