/** One local connection, forwarded to a port of a pod until either side ends it. */

import type { Socket } from "node:net";
import { readRefusal } from "../../client/requests/refusals.ts";
import { StreamBroken, type Upgrade, UpgradeRefused } from "../../client/streams/contract.ts";
import { openPortTunnel } from "../../client/streams/port-tunnel.ts";

/**
 * How long the pod may stay silent after our side has ended: the protocol has no message for a half-closed connection.
 */
const silenceMs = 30_000;

interface ForwardOptions {
  readonly upgrade: Upgrade;
  /** The path of the pod's subresource, without a query. */
  readonly path: string;
  /** Of the pod. */
  readonly port: number;
  /** The server's own name of the protocol: "channel.k8s.io". */
  readonly protocol: string;
  readonly signal: AbortSignal;
}

export async function forwardConnection(socket: Socket, options: ForwardOptions): Promise<void> {
  const { upgrade, signal, ...target } = options;
  socket.on("error", () => socket.destroy());
  const tunnel = await openPortTunnel(upgrade, { ...target, signal }).catch(async (error: unknown) => {
    socket.destroy();
    throw error instanceof UpgradeRefused ? await readRefusal(error.response) : error;
  });
  const close = () => tunnel.close();
  socket.once("close", close);
  signal.addEventListener("abort", close, { once: true });
  const sending = (async () => {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) await tunnel.send(chunk as Buffer);
    await tunnel.end();
    socket.setTimeout(silenceMs, () => socket.destroy());
  })().catch(close);
  try {
    for await (const data of tunnel.received())
      if (!socket.write(data))
        await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", resolve));
    socket.end();
    await sending;
  } catch (error) {
    // A connection that our side has dropped is not worth a message.
    const isDropped = socket.destroyed;
    socket.destroy();
    if (!isDropped || !(error instanceof StreamBroken)) throw error;
  } finally {
    signal.removeEventListener("abort", close);
    tunnel.close();
  }
}
