/** The answers to a request for another protocol on the same connection. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { acceptOf } from "../../base/websocket-frames.ts";

export const switching = (lines: readonly string[]): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines.join("\r\n")}\r\n\r\n`;

export const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** Agrees to the first offered protocol that is spoken here, and returns its name; undefined: none is. */
export function acceptedWebSocket(request: IncomingMessage, socket: Duplex, spoken: RegExp): string | undefined {
  const offered = String(request.headers["sec-websocket-protocol"] ?? "").split(/,\s*/);
  const protocol = offered.find((one) => spoken.test(one));
  const key = request.headers["sec-websocket-key"];
  if (protocol === undefined || key === undefined) return undefined;
  socket.write(
    switching(["Upgrade: websocket", `Sec-WebSocket-Accept: ${acceptOf(key)}`, `Sec-WebSocket-Protocol: ${protocol}`]),
  );
  return protocol;
}

export function refuse(socket: Duplex, code: number, message: string): void {
  socket.end(
    `HTTP/1.1 ${code} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`,
  );
}
