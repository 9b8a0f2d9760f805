/** The streams of one process in a container, over SPDY or a WebSocket: what a client sends to it, and what it gets back. */

import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import { drained, WebSocketConnection } from "../../client/streams/websocket.ts";
import { SpdySession, type SpdyStream } from "./spdy-session.ts";
import { acceptedWebSocket, isWebSocket, switching } from "./upgrade-answers.ts";

export interface ContainerStreams {
  /** Until the client ends it, or disconnects. */
  readonly stdin: AsyncIterable<Buffer>;
  stdout(data: Uint8Array): Promise<void>;
  stderr(data: Uint8Array): Promise<void>;
  /** Sends how the process ended, and ends everything. */
  finish(status: string): Promise<void>;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
}

/** Numbers of the channels of a WebSocket; in SPDY each is a stream with its name as its type. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
/** Since its fifth version the protocol can end a channel: a message to this one names it. */
const endChannel = 255;

interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Undefined: the client offers no protocol that is spoken here; the request is still to be answered. */
export async function acceptContainerStreams(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  wanted: WantedStreams,
): Promise<ContainerStreams | undefined> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  if (isWebSocket(request)) return acceptChannels(request, socket, head, { wanted, gone: gone.signal });
  const offered = String(request.headers["x-stream-protocol-version"] ?? "").split(/,\s*/);
  const protocol = offered.find((one) => /^v4\.channel\./.test(one));
  if (protocol === undefined || !/^spdy\/3\.1$/i.test(request.headers.upgrade ?? "")) return undefined;
  socket.write(switching(["Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${protocol}`]));
  return await acceptStreams(new SpdySession(socket, head), wanted, gone.signal);
}

/** The client opens one stream for each that it wants, and one for the ending. */
async function acceptStreams(
  session: SpdySession,
  wanted: WantedStreams,
  gone: AbortSignal,
): Promise<ContainerStreams> {
  const byType = new Map<string, SpdyStream>();
  const needed = [
    "error",
    ...(wanted.stdin ? ["stdin"] : []),
    ...(wanted.stdout ? ["stdout"] : []),
    ...(wanted.stderr && !wanted.tty ? ["stderr"] : []),
  ];
  const opened = session.streams();
  while (!needed.every((type) => byType.has(type))) {
    const next = await opened.next();
    if (next.done) break;
    // Only what is needed is kept: a client may open and reset streams of any other type without end.
    const type = next.value.headers.get("streamtype") ?? "";
    if (needed.includes(type)) byType.set(type, next.value);
    else await next.value.end();
  }
  // Data of the streams arrives only while the session is read.
  void (async () => {
    for await (const stream of opened) if (stream.headers.get("streamtype") === "resize") stream.end();
  })().catch(() => {});
  const sendTo = async (type: string, data: Uint8Array) => await byType.get(type)?.send(data);
  return {
    stdin: byType.get("stdin")?.input ?? nothing(),
    stdout: (data) => sendTo("stdout", data),
    stderr: (data) => sendTo(wanted.tty ? "stdout" : "stderr", data),
    async finish(status) {
      await sendTo("error", Buffer.from(status));
      for (const stream of byType.values()) await stream.end();
      session.close();
    },
    gone,
  };
}

function acceptChannels(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { wanted, gone }: { readonly wanted: WantedStreams; readonly gone: AbortSignal },
): ContainerStreams | undefined {
  const protocol = acceptedWebSocket(request, socket, /^((v5|v4)\.|v4\.base64\.|base64\.|)channel\./);
  if (protocol === undefined) return undefined;
  const connection = new WebSocketConnection({ socket, head });
  const isBase64 = protocol.includes("base64.");
  const stdin = new PassThrough();
  if (!wanted.stdin) stdin.end();
  void (async () => {
    for await (const { data } of connection.messages()) {
      if (data.length === 0) continue;
      const channel = isBase64 ? data[0]! - 0x30 : data[0]!;
      const bytes = isBase64 ? Buffer.from(data.toString("latin1", 1), "base64") : data.subarray(1);
      if (channel === endChannel && bytes[0] === channels.stdin) stdin.end();
      else if (channel === channels.stdin && bytes.length > 0 && !stdin.writableEnded)
        if (!stdin.write(bytes)) await drained(stdin);
    }
  })()
    .catch(() => {})
    .finally(() => {
      stdin.end();
      socket.destroy();
    });
  const send = (channel: number, data: Uint8Array) =>
    isBase64
      ? connection.send(Buffer.from(`${channel}${Buffer.from(data).toString("base64")}`), true)
      : connection.send(Buffer.concat([Uint8Array.of(channel), data]));
  return {
    stdin,
    stdout: (data) => send(channels.stdout, data),
    stderr: (data) => send(channels.stderr, data),
    async finish(status) {
      await send(channels.error, Buffer.from(status));
      connection.close();
    },
    gone,
  };
}

async function* nothing(): AsyncGenerator<Buffer> {}
