/** Channels over a WebSocket: each message begins with the number of its channel, as a byte or, in base64, as a digit. */

import { type ChannelConnection, type ChannelData, StreamBroken, type Upgrade } from "./contract.ts";
import { openWebSocket } from "./open-websocket.ts";
import type { WebSocketConnection } from "./websocket.ts";

/** Since its fifth version the protocol can end a channel: a message to this one names it. */
const endChannel = 255;
/** How much is sent in one message. */
const messageBytes = 32 * 1024;

interface WebSocketChannelOptions {
  /** The server's own name of the protocol: "channel.k8s.io". */
  readonly protocol: string;
  /** The requested versions, the best first: "v5", "v4". */
  readonly versions: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export async function openWebSocketChannels(
  upgrade: Upgrade,
  path: string,
  options: WebSocketChannelOptions,
): Promise<ChannelConnection> {
  const { protocol: name, versions, signal } = options;
  const protocols = [
    ...versions.map((version) => `${version}.${name}`),
    ...(versions.includes("v4") ? [`v4.base64.${name}`, `base64.${name}`] : []),
  ];
  const { connection, protocol } = await openWebSocket(upgrade, path, { protocols, signal });
  return new WebSocketChannels(connection, {
    isBase64: protocol.includes("base64."),
    canEnd: protocol.startsWith("v5."),
  });
}

class WebSocketChannels implements ChannelConnection {
  readonly canEnd: boolean;
  readonly #connection: WebSocketConnection;
  readonly #isBase64: boolean;

  constructor(connection: WebSocketConnection, { isBase64, canEnd }: { isBase64: boolean; canEnd: boolean }) {
    this.#connection = connection;
    this.#isBase64 = isBase64;
    this.canEnd = canEnd;
  }

  async *received(): AsyncGenerator<ChannelData> {
    for await (const { data } of this.#connection.messages()) {
      if (data.length === 0) continue;
      if (!this.#isBase64) yield { channel: data[0]!, data: data.subarray(1) };
      else {
        const channel = data[0]! - 0x30;
        if (channel < 0 || channel > 9) throw new StreamBroken("the server sent a message without a channel");
        yield { channel, data: Buffer.from(data.toString("latin1", 1), "base64") };
      }
    }
  }

  async send(channel: number, data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += messageBytes) {
      const part = data.subarray(at, at + messageBytes);
      if (this.#isBase64) {
        const text = `${channel}${Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("base64")}`;
        await this.#connection.send(Buffer.from(text), true);
      } else {
        const message = Buffer.allocUnsafe(part.length + 1);
        message[0] = channel;
        message.set(part, 1);
        await this.#connection.send(message);
      }
    }
  }

  async end(channel: number): Promise<void> {
    if (this.canEnd) await this.#connection.send(Uint8Array.of(endChannel, channel));
  }

  close(): void {
    this.#connection.close();
  }
}
