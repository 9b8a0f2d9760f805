/** A process in a container, started (exec) or joined (attach): its streams, and how it ended. */

import { isObject } from "../../machinery/json/json-value.ts";
import type { FetchResponse } from "../contract.ts";
import { type ChannelConnection, StreamBroken, type Upgrade, UpgradeRefused } from "./contract.ts";
import { openSpdyChannels } from "./spdy-channels.ts";
import { openWebSocketChannels } from "./websocket-channels.ts";

export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

interface RemoteCommandOptions {
  /** With everything that the server must know in its query. */
  readonly path: string;
  readonly hasStdin: boolean;
  readonly isTerminal: boolean;
  /** The server's own name of the protocol: "channel.k8s.io". */
  readonly protocol: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the streams. A WebSocket is enough except for input that ends: v1.21 has no message for the end of input there,
 * so SPDY is tried first. The process starts with the connection, so no second protocol is tried once one was accepted.
 */
export async function openRemoteCommand(upgrade: Upgrade, options: RemoteCommandOptions): Promise<ChannelConnection> {
  const { path, hasStdin, isTerminal, protocol, signal } = options;
  const overWebSocket = () => openWebSocketChannels(upgrade, path, { protocol, versions: ["v5", "v4"], signal });
  const overSpdy = () =>
    openSpdyChannels(upgrade, path, { protocol: `v4.${protocol}`, channels: streamsOf(hasStdin, isTerminal), signal });
  const [first, second] = hasStdin && !isTerminal ? [overSpdy, overWebSocket] : [overWebSocket, overSpdy];
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof UpgradeRefused) || !isAboutTheWay(error.response)) throw error;
    const { response } = error;
    return await second().catch((other: unknown) => {
      // The refusal with a Status is more helpful; otherwise the second one, whose wording kubectl users know.
      throw other instanceof UpgradeRefused && !isStatus(other.response) && isStatus(response) ? error : other;
    });
  }
}

/**
 * Whether the other protocol may be allowed. A Status is about the request itself, but for one: a WebSocket needs the right to get, SPDY the
 * right to create, and roles often have only the second.
 */
function isAboutTheWay(response: FetchResponse): boolean {
  return response.status === 403 || !isStatus(response);
}

function isStatus(response: FetchResponse): boolean {
  return (response.headers.get("content-type") ?? "").startsWith("application/json");
}

function streamsOf(hasStdin: boolean, isTerminal: boolean) {
  const stream = (type: keyof typeof channels, isReceived: boolean) => ({
    channel: channels[type],
    headers: { streamtype: type },
    isReceived,
  });
  return [
    stream("error", true),
    ...(hasStdin ? [stream("stdin", false)] : []),
    stream("stdout", true),
    ...(isTerminal ? [stream("resize", false)] : [stream("stderr", true)]),
  ];
}

/** How a process ended: its code, or why it could not be run. */
export type Ending = { readonly exitCode: number } | { readonly problem: string };

/** Reads the Status that the server sends last on the error channel. */
export function readEnding(sent: Buffer): Ending {
  const text = sent.toString("utf8");
  let status: unknown;
  try {
    status = JSON.parse(text);
  } catch {
    return { problem: `error stream protocol error: the server's last word is not a Status: ${text.slice(0, 500)}` };
  }
  if (!isObject(status)) return { problem: "error stream protocol error: unknown error" };
  if (status["status"] === "Success") return { exitCode: 0 };
  if (status["reason"] !== "NonZeroExitCode") return { problem: String(status["message"] ?? "unknown error") };
  const details = status["details"];
  const causes = isObject(details) && Array.isArray(details["causes"]) ? details["causes"].filter(isObject) : [];
  const cause = causes.find(({ reason }) => reason === "ExitCode");
  if (cause === undefined) return { problem: "error stream protocol error: no ExitCode cause given" };
  const code = String(cause["message"]);
  if (!/^\d{1,3}$/.test(code) || Number(code) > 255)
    return { problem: `error stream protocol error: invalid exit code value "${code}"` };
  return { exitCode: Number(code) };
}

/** The error channel carries one Status; more is an error. */
export const endingBytesMax = 64 * 1024;

/** Collects what arrives on the error channel. */
export class EndingReader {
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  push(data: Buffer): void {
    this.#bytes += data.length;
    if (this.#bytes > endingBytesMax) throw new StreamBroken("the server sent too much on the error channel");
    this.#parts.push(Buffer.from(data));
  }

  /** Undefined: no Status was sent, as by a server without exit codes. */
  get ending(): Ending | undefined {
    return this.#bytes === 0 ? undefined : readEnding(Buffer.concat(this.#parts));
  }
}
