/** A port of this machine that leads to a port of a pod: one connection of the server for each. */

import type { AddressInfo, Socket } from "node:net";
import type { Upgrade } from "../../client/streams/contract.ts";
import { openPortTunnel } from "../../client/streams/port-tunnel.ts";
import type { ForwardedPort, ForwardOptions } from "./contract.ts";
import { explained } from "./process.ts";

interface Forwarding extends ForwardOptions {
  /** Of the pod. */
  readonly path: string;
  readonly remotePort: number;
  readonly protocol: string;
}

/** Rejects if the server does not forward; a port that the pod does not have ends the connections to it. */
export async function forwardPort(upgrade: Upgrade, forwarding: Forwarding): Promise<ForwardedPort> {
  const { path, remotePort, protocol, host = "127.0.0.1", localPort = 0, signal } = forwarding;
  signal?.throwIfAborted();
  const ending = new AbortController();
  const own = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const open = () => openPortTunnel(upgrade, { path, port: remotePort, protocol, signal: own });
  (await open().catch(explained)).close(); // a missing right is said here, and not by a connection that ends
  const sockets = new Set<Socket>();
  const { createServer } = await import("node:net"); // not with every import of this package
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The other side of a connection that fails learns of it by its end.
    carry(socket, open).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(localPort, host, resolve);
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      ending.abort(new Error("the port is no longer forwarded"));
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closed;
  };
  signal?.addEventListener("abort", () => void close(), { once: true });
  return { host, port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close }; // of a TCP port
}

async function carry(socket: Socket, open: () => ReturnType<typeof openPortTunnel>): Promise<void> {
  socket.on("error", () => {}); // "close" follows
  const tunnel = await open();
  socket.once("close", () => tunnel.close());
  const sending = async () => {
    for await (const chunk of socket as AsyncIterable<Uint8Array>) await tunnel.send(chunk);
    await tunnel.end();
  };
  void sending().catch(() => tunnel.close());
  for await (const data of tunnel.received())
    if (!socket.write(data) && !socket.destroyed)
      await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
  socket.end();
}
