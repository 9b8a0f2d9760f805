/** One connection to a port of a pod, over its own WebSocket: bytes in both directions, and the error of the node. */

import { type ChannelConnection, StreamBroken, type Upgrade } from "./contract.ts";
import { openWebSocketChannels } from "./websocket-channels.ts";

const channels = { data: 0, error: 1 } as const;
/** The length of an error of the node; longer ones are cut. */
export const tunnelErrorBytesMax = 16 * 1024;

interface PortTunnelOptions {
  /** The path of the pod's subresource, without a query. */
  readonly path: string;
  readonly port: number;
  /** The server's own name of the protocol: "channel.k8s.io". */
  readonly protocol: string;
  readonly signal?: AbortSignal | undefined;
}

interface PortTunnel {
  /** Until the pod ends the connection. Throws the error of the node, if there is one. */
  received(): AsyncIterable<Buffer>;
  send(data: Uint8Array): Promise<void>;
  /** Nothing more will be sent; without effect if the protocol cannot express it. */
  end(): Promise<void>;
  close(): void;
}

export async function openPortTunnel(upgrade: Upgrade, options: PortTunnelOptions): Promise<PortTunnel> {
  const { path, port, protocol, signal } = options;
  const connection = await openWebSocketChannels(upgrade, `${path}?ports=${port}`, {
    protocol,
    versions: ["v4"],
    signal,
  });
  return {
    received: () => receivedOf(connection, port),
    send: (data) => connection.send(channels.data, data),
    end: () => connection.end(channels.data),
    close: () => connection.close(),
  };
}

/** Both channels begin with the number of the port, in two bytes. */
async function* receivedOf(connection: ChannelConnection, port: number): AsyncGenerator<Buffer> {
  const heads: Record<number, Buffer> = {};
  const error: Buffer[] = [];
  let errorBytes = 0;
  for await (const { channel, data } of connection.received()) {
    if (channel !== channels.data && channel !== channels.error) continue;
    let rest = data;
    const head = heads[channel] ?? Buffer.alloc(0);
    if (head.length < 2) {
      const whole = Buffer.concat([head, data]);
      heads[channel] = whole.subarray(0, 2);
      rest = whole.subarray(2);
      if (whole.length >= 2 && whole.readUInt16LE(0) !== port)
        throw new StreamBroken(`the server connected port ${whole.readUInt16LE(0)} instead of ${port}`);
    }
    if (rest.length === 0) continue;
    if (channel === channels.data) yield rest;
    else if (errorBytes < tunnelErrorBytesMax) {
      errorBytes += rest.length;
      error.push(Buffer.from(rest));
    }
  }
  if (errorBytes > 0) throw new StreamBroken(Buffer.concat(error).subarray(0, tunnelErrorBytesMax).toString("utf8"));
}
