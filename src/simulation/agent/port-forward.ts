/** `port-forward` to a simulated pod: each connection is answered as its port declares, over SPDY, SPDY in a WebSocket, or WebSocket channels. */

import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import { StreamBroken } from "../../client/streams/contract.ts";
import { drained, WebSocketConnection } from "../../client/streams/websocket.ts";
import { answerPort, type PortConnection, type PortPod } from "./port-answers.ts";
import { SpdySession, type SpdyStream, streamsMax } from "./spdy-session.ts";
import { tunnelOf } from "./spdy-tunnel.ts";
import { acceptedWebSocket, isWebSocket, switching } from "./upgrade-answers.ts";

/** False: the client offers no protocol that is spoken here; the request is still to be answered. */
export function acceptPortForward(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { of, ports }: { readonly of: PortPod; readonly ports: readonly number[] },
): boolean {
  if (isWebSocket(request)) {
    const protocol = acceptedWebSocket(request, socket, /^(v4\.|)channel\.|^SPDY\/3\.1\+portforward\./);
    if (protocol === undefined) return false;
    const connection = new WebSocketConnection({ socket, head });
    if (protocol.startsWith("SPDY/")) {
      const session = new SpdySession(tunnelOf(connection), Buffer.alloc(0));
      void serveSession(session, of).catch(() => socket.destroy());
    } else serveChannels(connection, socket, of, ports);
    return true;
  }
  const offered = String(request.headers["x-stream-protocol-version"] ?? "").split(/,\s*/);
  const protocol = offered.find((one) => one.startsWith("portforward."));
  if (protocol === undefined || !/^spdy\/3\.1$/i.test(request.headers.upgrade ?? "")) return false;
  socket.write(switching(["Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${protocol}`]));
  void serveSession(new SpdySession(socket, head), of).catch(() => socket.destroy());
  return true;
}

/** A client opens two streams for each connection, which have the same request id: one for errors, one for data. */
async function serveSession(session: SpdySession, of: PortPod): Promise<void> {
  const waiting = new Map<string, SpdyStream>();
  for await (const stream of session.streams()) {
    const id = stream.headers.get("requestid") ?? "";
    const other = waiting.get(id);
    if (other === undefined) {
      // A stream that the client has reset since then still waits here.
      if (waiting.size >= streamsMax) throw new StreamBroken("the client opened too many streams without their pairs");
      waiting.set(id, stream);
      continue;
    }
    waiting.delete(id);
    const [data, error] = stream.headers.get("streamtype") === "data" ? [stream, other] : [other, stream];
    const connection: PortConnection = {
      port: Number(data.headers.get("port")),
      input: data.input,
      send: (bytes) => data.send(bytes),
      fail: (message) => error.send(Buffer.from(message)),
      async end() {
        await error.end();
        await data.end();
      },
    };
    void answerPort(of, connection).catch(() => {});
  }
}

/** Each port has two channels, for data and for errors; both begin with the number of the port. */
function serveChannels(connection: WebSocketConnection, socket: Duplex, of: PortPod, ports: readonly number[]): void {
  const inputs = ports.map(() => new PassThrough());
  let open = ports.length;
  for (const [index, port] of ports.entries()) {
    const send = (channel: number, data: Uint8Array) => connection.send(Buffer.concat([Uint8Array.of(channel), data]));
    const start = Buffer.alloc(2);
    start.writeUInt16LE(port);
    const begin = async () => {
      await send(2 * index, start);
      await send(2 * index + 1, start);
      await answerPort(of, {
        port,
        input: inputs[index] ?? new PassThrough().end(),
        send: (bytes) => send(2 * index, bytes),
        fail: (message) => send(2 * index + 1, Buffer.from(message)),
        async end() {
          if (--open === 0) connection.close();
        },
      });
    };
    void begin().catch(() => socket.destroy());
  }
  void (async () => {
    for await (const { data } of connection.messages()) {
      const input = inputs[(data[0] ?? 1) / 2];
      if (input !== undefined && data.length > 1 && !input.write(data.subarray(1))) await drained(input);
    }
  })()
    .catch(() => {})
    .finally(() => {
      for (const input of inputs) input.end();
      socket.destroy();
    });
}
