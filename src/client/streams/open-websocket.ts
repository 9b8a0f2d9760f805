/** The handshake of a WebSocket: asks for one of several protocols, and checks that the server understood. */

import { acceptOf } from "../../base/websocket-frames.ts";
import { StreamBroken, type Upgrade, UpgradeRefused } from "./contract.ts";
import { WebSocketConnection } from "./websocket.ts";

interface OpenWebSocketOptions {
  /** Those that are understood, the best first. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Throws UpgradeRefused if the server answers with something else, StreamBroken if it answers wrongly. */
export async function openWebSocket(
  upgrade: Upgrade,
  path: string,
  { protocols, signal }: OpenWebSocketOptions,
): Promise<{ connection: WebSocketConnection; protocol: string }> {
  const { randomBytes } = process.getBuiltinModule("node:crypto"); // with the first connection
  const key = randomBytes(16).toString("base64");
  const answer = await upgrade(path, {
    method: "GET",
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": protocols.join(", "),
    },
    signal,
  });
  if (!("socket" in answer)) throw new UpgradeRefused(answer);
  const { socket, head, headers } = answer;
  const protocol = headers.get("sec-websocket-protocol") ?? "";
  const problem =
    headers.get("upgrade")?.toLowerCase() !== "websocket" || headers.get("sec-websocket-accept") !== acceptOf(key)
      ? "the server did not answer the handshake of a WebSocket"
      : headers.has("sec-websocket-extensions")
        ? "the server chose an extension that was not offered"
        : !protocols.includes(protocol)
          ? `the server chose none of the protocols ${protocols.join(", ")}`
          : undefined;
  if (problem !== undefined) {
    socket.destroy();
    throw new StreamBroken(problem);
  }
  return { connection: new WebSocketConnection({ socket, head, random: randomBytes }), protocol };
}
