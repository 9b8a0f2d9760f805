/** Shells of the console: a process in a container with a terminal, joined to a WebSocket of the page. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { acceptOf } from "../../base/websocket-frames.ts";
import type { ChannelConnection } from "../../client/streams/contract.ts";
import { channels, type Ending, EndingReader, openRemoteCommand } from "../../client/streams/remote-command.ts";
import { WebSocketConnection } from "../../client/streams/websocket.ts";
import { streamProtocol } from "./checks.ts";
import { isName, podPath, problemOf, type StreamAccess } from "./streams.ts";

/** How many shells one console has at a time. */
export const shellsMax = 16;
/** How many words the command of a shell has. */
export const shellWordsMax = 32;

export const shellPath = "/shell";

interface Shells {
  /** `request` was checked. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/**
 * Messages begin with the number of their channel, as those of the server do: the page sends input and sizes, and gets output. The last message
 * is on the channel of errors, and says how the process ended, as JSON.
 */
export function createShells(access: StreamAccess): Shells {
  const open = new Set<Duplex>();
  return {
    accept(request, socket, head) {
      socket.on("error", () => socket.destroy());
      const isTooMany = open.size >= shellsMax;
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      socket.write(handshake(request.headers["sec-websocket-key"] ?? ""));
      const page = new WebSocketConnection({ socket, head });
      const running = isTooMany
        ? Promise.resolve({ problem: `the console has ${shellsMax} shells; close one` })
        : run(access, new URL(request.url ?? "/", "http://console").searchParams, page, socket);
      void running.then(async (ending) => {
        await page.send(message(channels.error, Buffer.from(JSON.stringify(ending))));
        page.close();
      });
    },
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

const handshake = (key: string): string =>
  [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    `Sec-WebSocket-Protocol: ${streamProtocol}`,
    "",
    "",
  ].join("\r\n");

function message(channel: number, data: Uint8Array): Buffer {
  const whole = Buffer.allocUnsafe(data.length + 1);
  whole[0] = channel;
  whole.set(data, 1);
  return whole;
}

/** Resolves when the process has ended, or could not be run. */
async function run(
  { upgrade, protocol }: StreamAccess,
  asked: URLSearchParams,
  page: WebSocketConnection,
  socket: Duplex,
): Promise<Ending> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  let remote: ChannelConnection | undefined;
  try {
    const options = { hasStdin: true, isTerminal: true, protocol: await protocol(), signal: gone.signal };
    remote = await openRemoteCommand(upgrade, { path: execPath(asked), ...options });
    const { close } = sendKeys(page, remote);
    socket.once("close", close);
    return await showOutput(page, remote);
  } catch (error) {
    return { problem: await problemOf(error) };
  } finally {
    remote?.close();
  }
}

function execPath(asked: URLSearchParams): string {
  const [namespace, pod, container] = [asked.get("namespace"), asked.get("pod"), asked.get("container")];
  const words = asked.getAll("command");
  if (!isName(namespace) || !isName(pod) || !isName(container))
    throw new Error("a shell needs the names of a namespace, a pod and a container");
  if (words.length === 0 || words.length > shellWordsMax)
    throw new Error(`a shell needs a command of at most ${shellWordsMax} words`);
  const query = new URLSearchParams([
    ...words.map((word): [string, string] => ["command", word]),
    ["container", container],
    ["stdin", "true"],
    ["stdout", "true"],
    ["tty", "true"],
  ]);
  return `${podPath({ namespace, pod }, "exec")}?${query}`;
}

/** Input and sizes, until either side ends. */
function sendKeys(page: WebSocketConnection, remote: ChannelConnection): { close(): void } {
  const close = () => remote.close();
  const send = async () => {
    for await (const { data } of page.messages()) {
      const channel = data[0];
      if (channel === channels.stdin || channel === channels.resize) await remote.send(channel, data.subarray(1));
    }
  };
  send().then(close, close);
  return { close };
}

async function showOutput(page: WebSocketConnection, remote: ChannelConnection): Promise<Ending> {
  const reader = new EndingReader();
  for await (const { channel, data } of remote.received()) {
    if (channel === channels.error) reader.push(data);
    // Who does not read is not read for either.
    else await page.send(message(channels.stdout, data));
  }
  return reader.ending ?? { problem: "the connection ended before the process" };
}
