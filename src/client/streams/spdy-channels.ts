/**
 * Channels over SPDY/3.1, each a stream of its own: the protocol of v1.21 besides WebSockets, whose channels cannot signal
 * the end of input in that version.
 */

import type { Duplex } from "node:stream";
import { type ChannelConnection, type ChannelData, StreamBroken, type Upgrade, UpgradeRefused } from "./contract.ts";
import {
  controlFrame,
  dataFrame,
  frameTypes,
  headBytes,
  lastFlag,
  readSpdyHead,
  type SpdyHead,
  synStreamFrame,
} from "./spdy-frames.ts";
import { drained } from "./websocket.ts";

/** Servers send at most 32 KiB at a time; a frame that is larger than this ends the connection. */
export const spdyFrameBytesMax = 4 * 1024 * 1024;
const sentBytesMax = 32 * 1024;

interface SpdyChannel {
  readonly channel: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server sends on it; the connection is over when all of these have ended. */
  readonly isReceived: boolean;
}

interface SpdyOptions {
  /** "v4.channel.k8s.io". */
  readonly protocol: string;
  readonly channels: readonly SpdyChannel[];
  readonly signal?: AbortSignal | undefined;
}

/** Throws UpgradeRefused if the server answers with something else. */
export async function openSpdyChannels(
  upgrade: Upgrade,
  path: string,
  { protocol, channels, signal }: SpdyOptions,
): Promise<ChannelConnection> {
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol };
  const answer = await upgrade(path, { method: "POST", headers, signal });
  if (!("socket" in answer)) throw new UpgradeRefused(answer);
  const chosen = answer.headers.get("x-stream-protocol-version") ?? "";
  if (answer.headers.get("upgrade")?.toLowerCase() !== "spdy/3.1" || chosen !== protocol) {
    answer.socket.destroy();
    throw new StreamBroken(`the server did not choose the protocol ${protocol}`);
  }
  return new SpdyChannels(answer.socket, answer.head, channels);
}

class SpdyChannels implements ChannelConnection {
  readonly canEnd = true;
  readonly #socket: Duplex;
  readonly #channelOf = new Map<number, number>();
  readonly #streamOf = new Map<number, number>();
  /** Streams on which the server has not ended its side. */
  readonly #open = new Set<number>();
  readonly #ended = new Set<number>();
  #failure: unknown;

  constructor(socket: Duplex, head: Buffer, channels: readonly SpdyChannel[]) {
    this.#socket = socket;
    socket.on("error", (error) => {
      this.#failure ??= error;
    });
    if (head.length > 0) socket.unshift(head);
    for (const [index, { channel, headers, isReceived }] of channels.entries()) {
      const streamId = 2 * index + 1; // those of clients are odd
      this.#channelOf.set(streamId, channel);
      this.#streamOf.set(channel, streamId);
      if (isReceived) this.#open.add(streamId);
      socket.write(synStreamFrame(streamId, headers, { isFirst: index === 0 }));
    }
  }

  async *received(): AsyncGenerator<ChannelData> {
    for await (const { head, payload } of this.#frames()) {
      if (head.type === frameTypes.data) {
        const channel = this.#channelOf.get(head.streamId);
        if (channel !== undefined && payload.length > 0) yield { channel, data: payload };
        if ((head.flags & lastFlag) !== 0) this.#open.delete(head.streamId);
      } else this.#control(head, payload);
      if (this.#open.size === 0) {
        this.close();
        return;
      }
    }
    throw new StreamBroken("the connection was lost", { cause: this.#failure });
  }

  async send(channel: number, data: Uint8Array): Promise<void> {
    const streamId = this.#streamOf.get(channel);
    if (streamId === undefined || this.#ended.has(streamId)) return;
    for (let at = 0; at < data.length; at += sentBytesMax)
      await this.#write(dataFrame(streamId, data.subarray(at, at + sentBytesMax), false));
  }

  async end(channel: number): Promise<void> {
    const streamId = this.#streamOf.get(channel);
    if (streamId === undefined || this.#ended.has(streamId)) return;
    this.#ended.add(streamId);
    await this.#write(dataFrame(streamId, Buffer.alloc(0), true));
  }

  close(): void {
    this.#socket.destroy();
  }

  #control(head: SpdyHead, payload: Buffer): void {
    if (head.type === frameTypes.ping) void this.#write(controlFrame(frameTypes.ping, payload));
    else if (head.type === frameTypes.rstStream && payload.length >= 8) {
      const streamId = payload.readUInt32BE(0);
      const channel = this.#channelOf.get(streamId);
      // A process may end before it has read its input.
      if (channel !== undefined && !this.#open.delete(streamId)) this.#ended.add(streamId);
    } else if (head.type === frameTypes.goAway) this.#failure ??= new Error("the server ended the connection (GOAWAY)");
    // Answers to our streams, settings and windows change nothing for us.
  }

  async *#frames(): AsyncGenerator<{ head: SpdyHead; payload: Buffer }> {
    let chunks: Buffer[] = [];
    let [arrived, needed] = [0, headBytes];
    try {
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        arrived += chunk.length;
        if (arrived < needed) continue;
        let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
        for (needed = headBytes; bytes.length >= headBytes; needed = headBytes) {
          const head = readSpdyHead(bytes);
          if (head === undefined || head.length > spdyFrameBytesMax) this.#fail();
          needed = headBytes + head.length;
          if (bytes.length < needed) break;
          yield { head, payload: bytes.subarray(headBytes, needed) };
          bytes = bytes.subarray(needed);
        }
        [chunks, arrived] = [bytes.length === 0 ? [] : [bytes], bytes.length];
      }
    } catch (error) {
      if (error instanceof StreamBroken) throw error;
      this.#failure ??= error;
    }
  }

  #fail(): never {
    this.close();
    throw new StreamBroken("the server sent a frame that is not one of SPDY/3.1, or is too large");
  }

  async #write(frame: Buffer): Promise<void> {
    if (!this.#socket.writable) return;
    if (!this.#socket.write(frame)) await drained(this.#socket);
  }
}
