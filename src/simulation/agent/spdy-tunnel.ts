/** SPDY inside a WebSocket, as clients since 1.30 forward ports: each binary message is a piece of the bytes of a SPDY connection. */

import { Duplex } from "node:stream";
import type { WebSocketConnection } from "../../client/streams/websocket.ts";

/** The bytes of the tunnel in both directions. It ends with the WebSocket, and closes it. */
export function tunnelOf(connection: WebSocketConnection): Duplex {
  let wake = () => {};
  const tunnel = new Duplex({
    read: () => wake(),
    write(chunk: Buffer, _encoding, done) {
      connection.send(chunk).then(() => done(), done);
    },
    final(done) {
      connection.close();
      done();
    },
    destroy(error, done) {
      connection.close();
      wake();
      done(error);
    },
  });
  const pump = async () => {
    for await (const { data } of connection.messages()) {
      if (tunnel.destroyed) return;
      if (!tunnel.push(data))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    if (!tunnel.destroyed) tunnel.push(null);
  };
  pump().catch(() => tunnel.destroy());
  return tunnel;
}
