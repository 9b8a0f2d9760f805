/** Connections over HTTP/2, which most servers never see: what serves them is loaded with the first. */

import type { TLSSocket } from "node:tls";
import type { Http2Server, Http2ServerOptions } from "./http2-server.ts";

export function createLazyHttp2(options: Http2ServerOptions): Http2Server {
  let server: Http2Server | undefined;
  const open = async (socket: TLSSocket): Promise<void> => {
    // An error while the module is loaded would end the process without a listener; HTTP/2 adds its own.
    socket.on("error", () => {});
    const { createHttp2Server } = await import("./http2-server.ts");
    server ??= createHttp2Server(options);
    if (!socket.destroyed) server.accept(socket);
  };
  return {
    accept(socket) {
      if (server !== undefined) return server.accept(socket);
      open(socket).catch((cause: unknown) => {
        options.log.error("HTTP/2 cannot be served", { cause });
        socket.destroy();
      });
    },
    close: () => server?.close(),
  };
}
