/** The connections of a port, also those whose handshake is not over. */

import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** In plain text for clients that used http instead of https, since a client without TLS cannot read any other answer. */
const notSecure = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

export class OpenSockets {
  readonly #sockets = new Set<Socket>();

  /** `onHandshakeError`: called for each handshake that fails. */
  constructor(server: Server, onHandshakeError?: () => void) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
    server.on("tlsClientError", (error: NodeJS.ErrnoException, secure) => {
      onHandshakeError?.();
      if (error.code === "ERR_SSL_HTTP_REQUEST") this.#tellNotSecure(secure);
      secure.destroy();
    });
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #tellNotSecure(secure: TLSSocket): void {
    for (const socket of this.#sockets) if (isSamePeer(socket, secure)) socket.end(notSecure);
  }
}

function isSamePeer(one: Socket, other: Socket): boolean {
  return one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress;
}
