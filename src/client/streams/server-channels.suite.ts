/** The server's side of streams to containers, for tests: channels over a WebSocket and over SPDY/3.1, written against the protocols. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { constants, createInflate, type Inflate } from "node:zlib";
import { acceptOf, applyMask, encodeFrame, opcodes, readFrameHead } from "../../base/websocket-frames.ts";

export interface ServerChannels {
  /** What the client agreed to: "v4.channel.k8s.io". */
  readonly protocol: string;
  /** Called with what arrives; `undefined`: the client has ended the channel. */
  onData: (channel: number, data: Buffer | undefined) => void;
  /** Once, when the connection is gone. */
  onClose: () => void;
  send(channel: number, data: Uint8Array): Promise<void>;
  /** Ends everything as the protocol requires. */
  end(): void;
}

/** Also the frames of a server that violates the protocol. */
export const switching = (lines: readonly string[]): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines.join("\r\n")}\r\n\r\n`;

export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  protocol: string,
): ServerChannels {
  const isBase64 = protocol.includes("base64.");
  socket.write(
    switching([
      "Upgrade: websocket",
      `Sec-WebSocket-Accept: ${acceptOf(request.headers["sec-websocket-key"] ?? "")}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
    ]),
  );
  const channels: ServerChannels = {
    protocol,
    onData: () => {},
    onClose: () => {},
    async send(channel, data) {
      const frame = isBase64
        ? encodeFrame(opcodes.text, Buffer.from(`${channel}${Buffer.from(data).toString("base64")}`))
        : encodeFrame(opcodes.binary, Buffer.concat([Uint8Array.of(channel), data]));
      await written(socket, frame);
    },
    end: () => socket.end(encodeFrame(opcodes.close, Buffer.from([3, 232]))),
  };
  let kept = Buffer.alloc(0);
  const read = (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    for (;;) {
      const frame = readFrameHead(kept);
      if (frame === undefined || frame === "broken" || kept.length < frame.size + frame.length) return;
      const payload = Buffer.from(kept.subarray(frame.size, frame.size + frame.length));
      if (frame.mask === undefined) throw new Error("clients must mask");
      applyMask(payload, frame.mask);
      kept = kept.subarray(frame.size + frame.length);
      if (frame.opcode === opcodes.close) channels.onClose();
      else if (frame.isControl) continue;
      else if (isBase64) channels.onData(payload[0]! - 48, Buffer.from(payload.toString("latin1", 1), "base64"));
      else if (payload[0] === 255 && protocol.startsWith("v5.")) channels.onData(payload[1]!, undefined);
      else channels.onData(payload[0]!, payload.subarray(1));
    }
  };
  setImmediate(() => {
    read(head);
    socket.on("data", read);
    socket.on("close", () => channels.onClose());
  });
  return channels;
}

const numbers: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };

/** Resolves when the client has opened as many streams as it must. */
export function acceptSpdy(socket: Duplex, head: Buffer, protocol: string, count: number): Promise<ServerChannels> {
  socket.write(switching(["Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${protocol}`]));
  const streams = new Map<number, number>();
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  const frame = (first: number, flags: number, payload: Uint8Array) => {
    const bytes = Buffer.alloc(8 + payload.length);
    bytes.writeUInt32BE(first >>> 0, 0);
    bytes[4] = flags;
    bytes.writeUIntBE(payload.length, 5, 3);
    bytes.set(payload, 8);
    return bytes;
  };
  const idOf = (channel: number) => [...streams].find(([, one]) => one === channel)?.[0];
  const channels: ServerChannels = {
    protocol,
    onData: () => {},
    onClose: () => {},
    async send(channel, data) {
      const id = idOf(channel);
      if (id !== undefined) await written(socket, frame(id, 0, data));
    },
    end() {
      for (const [id] of streams) socket.write(frame(id, 1, Buffer.alloc(0)));
      socket.end();
    },
  };
  return new Promise((resolve) => {
    let kept = Buffer.alloc(0);
    let isReading = false;
    const read = async () => {
      if (isReading) return;
      isReading = true;
      while (kept.length >= 8) {
        const length = kept.readUIntBE(5, 3);
        if (kept.length < 8 + length) break;
        const [first, flags, payload] = [kept.readUInt32BE(0), kept[4]!, Buffer.from(kept.subarray(8, 8 + length))];
        kept = kept.subarray(8 + length);
        if (first === 0x80030001) {
          const id = payload.readUInt32BE(0);
          const type = (await headersOf(inflate, payload.subarray(10)))["streamtype"] ?? "";
          streams.set(id, numbers[type]!);
          // A reply, a ping and settings, all of which a client must accept.
          socket.write(frame(0x80030002, 0, payload.subarray(0, 4)));
          socket.write(frame(0x80030006, 0, Buffer.from([0, 0, 0, 2])));
          socket.write(frame(0x80030004, 0, Buffer.from([0, 0, 0, 0])));
          if (streams.size === count) resolve(channels);
          await new Promise((done) => setImmediate(done));
        } else if (first < 0x80000000) {
          const channel = streams.get(first) ?? -1;
          if (payload.length > 0) channels.onData(channel, payload);
          if ((flags & 1) !== 0) channels.onData(channel, undefined);
        }
      }
      isReading = false;
    };
    const push = (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]);
      void read();
    };
    push(head);
    socket.on("data", push);
    socket.on("close", () => channels.onClose());
  });
}

/** One block of headers out of the connection's stream of zlib. */
async function headersOf(inflate: Inflate, block: Buffer): Promise<Record<string, string>> {
  await new Promise<void>((resolve) => inflate.write(block, () => resolve()));
  const bytes = (inflate.read() as Buffer | null) ?? Buffer.alloc(0);
  const headers: Record<string, string> = {};
  let at = 4;
  const text = () => {
    const length = bytes.readUInt32BE(at);
    at += 4 + length;
    return bytes.toString("utf8", at - length, at);
  };
  for (let left = bytes.readUInt32BE(0); left > 0; left--) headers[text()] = text();
  return headers;
}

async function written(socket: Duplex, frame: Buffer): Promise<void> {
  if (socket.destroyed) return;
  if (!socket.write(frame))
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off("drain", done).off("close", done);
        resolve();
      };
      socket.on("drain", done).on("close", done);
    });
}
