/**
 * Forwards a request that asks for another protocol (WebSocket, SPDY). Only if the backend answers 101 with that protocol are the two
 * connections joined; in every other case both are closed, so that the client never reaches a connection that this server opened.
 */

import { setMaxListeners } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSpread } from "../../base/spread.ts";
import type { Exchange, ProtocolUpgrade } from "../../http/contract/exchange.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { relay } from "./forward.ts";
import { answerHeaders } from "./headers.ts";
import { type Destination, openRequest, silenceMsMax } from "./open-request.ts";

/** How long a refused upgrade, or the second half of a closed connection, may stay open. */
export const upgradeCloseMsMax = 10_000;

/** Joined connections whose second half is closed in one turn of the event loop: a client may leave hundreds of them at once. */
export const joinsClosedMax = 16;
/** The event loop is that of the process, so all servers of the process share it. */
const spreadClosing = createSpread(joinsClosedMax);

interface UpgradeForwarding {
  readonly destination: Destination;
  readonly headers: OutgoingHttpHeaders;
  /** Aborts when the server stops: joined connections are closed. */
  readonly ending: AbortSignal;
}

interface Outcome {
  readonly response: IncomingMessage;
  /** Present: the backend has switched protocols. */
  readonly backend?: Duplex;
}

/** Resolves when the connections are closed. Rejects only before the answer has begun. */
export async function forwardUpgrade(
  exchange: Exchange,
  upgrade: ProtocolUpgrade,
  { destination, headers, ending }: UpgradeForwarding,
): Promise<void> {
  const { protocol } = upgrade;
  const asked = { ...headers, connection: "Upgrade", upgrade: protocol };
  const request = openRequest(destination, exchange.method, asked);
  exchange.onFinish(() => request.destroy());
  const { response, backend } = await new Promise<Outcome>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (answer) => resolve({ response: answer }));
    request.on("upgrade", (answer, socket, head) => {
      socket.on("error", () => {});
      if (head.length > 0) socket.unshift(head);
      resolve({ response: answer, backend: socket });
    });
    request.end();
  });
  const status = response.statusCode ?? 0;
  if (backend !== undefined && response.headers.upgrade?.toLowerCase() === protocol.toLowerCase()) {
    const client = upgrade.accept({ ...answerHeaders(response), connection: "Upgrade", upgrade: protocol });
    return await join(client, backend, ending);
  }
  backend?.destroy();
  const timer = setTimeout(() => {
    request.destroy();
    exchange.destroy();
  }, upgradeCloseMsMax);
  timer.unref();
  try {
    if (status < 400)
      throw new StatusError(undefined, `invalid upgrade response: status code ${status}`, { code: 502 });
    await relay(exchange, response);
  } finally {
    request.destroy();
    exchange.onFinish(() => clearTimeout(timer));
  }
}

async function endLater(side: Duplex): Promise<void> {
  await spreadClosing();
  side.end();
}

/** What the other side sent before it closed still arrives. */
async function closeLater(side: Duplex): Promise<void> {
  await spreadClosing();
  if (side.writableEnded && !side.writableFinished) side.once("finish", () => side.destroy());
  else side.destroy();
}

/** Copies bytes in both directions, no faster than each side reads. When one side closes, the other is closed as well. */
function join(client: Duplex, backend: Duplex, ending: AbortSignal): Promise<void> {
  setMaxListeners(0, ending); // one for each joined connection, removed when it closes
  return new Promise((resolve) => {
    const destroy = () => {
      client.destroy();
      backend.destroy();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = (side: Duplex, other: Duplex) => {
      side.on("error", () => {});
      side.once("end", () => {
        timer ??= setTimeout(destroy, upgradeCloseMsMax);
        void endLater(other);
      });
      side.once("close", () => {
        if (!other.closed) return void closeLater(other);
        clearTimeout(timer);
        ending.removeEventListener("abort", destroy);
        resolve();
      });
      if (side instanceof Socket) side.setTimeout(silenceMsMax, destroy);
    };
    follow(client, backend);
    follow(backend, client);
    if (ending.aborted) destroy();
    else ending.addEventListener("abort", destroy, { once: true });
    client.pipe(backend, { end: false });
    backend.pipe(client, { end: false });
  });
}
