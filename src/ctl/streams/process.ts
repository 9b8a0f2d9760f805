/** Connects a process in a container to our own streams: input, output, the size of the terminal, and its exit code. */

import { type ChannelConnection, StreamBroken } from "../../client/streams/contract.ts";
import { channels, type Ending, EndingReader, openRemoteCommand } from "../../client/streams/remote-command.ts";
import type { Context } from "../context.ts";
import type { Sink, Terminal } from "../environment.ts";
import { CtlError } from "../errors.ts";
import { explained } from "./connect.ts";

export interface ProcessStreams {
  /** Undefined: the process gets no input. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  readonly stdout: Pick<Sink, "writeBytes" | "drained">;
  readonly stderr: Pick<Sink, "writeBytes" | "drained">;
}

interface ProcessOptions extends ProcessStreams {
  /** "exec": the operation in error messages. */
  readonly command: string;
  readonly path: string;
  /** Whether the process has a terminal, and so a single output. */
  readonly isTerminal: boolean;
  /** Our terminal, if the process uses it. */
  readonly terminal: Terminal | undefined;
  /** A running program redraws when the size changes, so the size is changed once more to trigger that. */
  readonly isJoined?: boolean;
  /** Called when the server has accepted, before any data is passed on. */
  readonly onOpen?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the process has ended and all its output has been passed on. */
export async function runRemote(context: Context, options: ProcessOptions): Promise<Ending> {
  const vocabulary = await context.vocabulary();
  const signal = options.signal ?? context.signal;
  let connection: ChannelConnection;
  try {
    connection = await openRemoteCommand(context.session.connection.upgrade, {
      path: options.path,
      hasStdin: options.stdin !== undefined,
      isTerminal: options.isTerminal,
      protocol: vocabulary.word("channel.orch.io"),
      signal,
    });
  } catch (error) {
    throw await explained(context, options.command, error);
  }
  options.onOpen?.();
  const stop = () => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  const leave = options.terminal === undefined ? () => {} : enterTerminal(options.terminal, connection, options);
  try {
    if (signal.aborted) stop();
    // Input that fails, or never ends, must not delay the output.
    if (options.stdin !== undefined) void sendInput(connection, options.stdin).catch(stop);
    return await receive(connection, options);
  } finally {
    leave();
    signal.removeEventListener("abort", stop);
    connection.close();
  }
}

/** Sends every key to the process, and changes of the size. The returned function restores the terminal. */
function enterTerminal(terminal: Terminal, connection: ChannelConnection, { isJoined }: ProcessOptions): () => void {
  terminal.setRaw(true);
  const sendSize = (more = 0) => {
    const size = terminal.size();
    if (size === undefined) return;
    const text = JSON.stringify({ Width: size.columns + more, Height: size.rows + more });
    void connection.send(channels.resize, Buffer.from(text));
  };
  if (isJoined) sendSize(1);
  sendSize();
  const forget = terminal.onResize(() => sendSize());
  return () => {
    forget();
    terminal.setRaw(false);
  };
}

async function sendInput(connection: ChannelConnection, stdin: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of stdin) await connection.send(channels.stdin, chunk);
  await connection.end(channels.stdin);
}

async function receive(connection: ChannelConnection, { stdout, stderr }: ProcessStreams): Promise<Ending> {
  const reader = new EndingReader();
  for await (const { channel, data } of connection.received()) {
    if (channel === channels.error) reader.push(data);
    const sink = channel === channels.stdout ? stdout : channel === channels.stderr ? stderr : undefined;
    if (sink === undefined) continue;
    sink.writeBytes(data);
    await sink.drained();
  }
  if (reader.ending === undefined)
    throw new StreamBroken("the server ended the stream without the exit status of the process");
  return reader.ending;
}

/** Exits with the code of the process, with the message that scripts expect. */
export function throwEnding(ending: Ending): void {
  if ("problem" in ending) throw new CtlError(ending.problem);
  if (ending.exitCode === 0) return;
  throw new CtlError(`command terminated with exit code ${ending.exitCode}`, {
    exitCode: ending.exitCode,
    isBare: true,
  });
}

/** Whether the process gets our terminal and our input; warns if that is not possible. */
export function chooseTerminal(
  context: Context,
  wanted: { readonly stdin: boolean; readonly tty: boolean; readonly isQuiet: boolean },
): Terminal | undefined {
  if (!wanted.stdin || !wanted.tty) return undefined;
  const { terminal } = context.environment.stdin;
  if (terminal === undefined && !wanted.isQuiet)
    context.say("Unable to use a TTY - input is not a terminal or the right kind of file");
  return terminal;
}
