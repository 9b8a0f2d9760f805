/** A process in a container: its streams, and how it ended. */

import { readRefusal } from "../../client/requests/refusals.ts";
import { type ChannelConnection, StreamBroken, type Upgrade, UpgradeRefused } from "../../client/streams/contract.ts";
import { channels, EndingReader, openRemoteCommand } from "../../client/streams/remote-command.ts";
import type { Input, RemoteProcess } from "./contract.ts";

interface ProcessOptions {
  readonly path: string;
  /** The server's own name of the protocol. */
  readonly protocol: string;
  readonly stdin: Input | undefined;
  readonly tty: boolean;
  readonly signal: AbortSignal | undefined;
}

/** How many bytes of an output may wait for its reader. */
const outputBufferBytes = 65_536;

export async function openProcess(upgrade: Upgrade, options: ProcessOptions): Promise<RemoteProcess> {
  const { path, protocol, stdin, tty, signal } = options;
  signal?.throwIfAborted();
  const hasStdin = stdin !== undefined;
  const connection = await openRemoteCommand(upgrade, { path, hasStdin, isTerminal: tty, protocol, signal }).catch(
    explained,
  );
  const stop = () => connection.close();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  const stdout = new Output();
  const stderr = new Output();
  const exitCode = receive(connection, stdout, stderr)
    .catch((error: unknown) => {
      const reason: unknown = signal?.aborted ? signal.reason : error;
      stdout.fail(reason);
      stderr.fail(reason);
      throw reason;
    })
    .finally(() => {
      signal?.removeEventListener("abort", stop);
      connection.close();
    });
  exitCode.catch(() => undefined); // the caller may read the output alone, which fails too
  if (stdin !== undefined) void sendInput(connection, stdin).catch(stop);
  const close = async () => {
    connection.close();
    await exitCode.catch(() => undefined);
  };
  return {
    stdout: stdout.stream,
    stderr: stderr.stream,
    exitCode,
    async output() {
      const [out, err, code] = await Promise.all([textOf(stdout.stream), textOf(stderr.stream), exitCode]);
      return { stdout: out, stderr: err, exitCode: code };
    },
    resize: ({ columns, rows }) =>
      connection.send(channels.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows }))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The server's Status, in place of the fact that it did not agree to another protocol. */
export async function explained(error: unknown): Promise<never> {
  throw error instanceof UpgradeRefused ? await readRefusal(error.response) : error;
}

const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

async function sendInput(connection: ChannelConnection, stdin: Input): Promise<void> {
  const encoder = new TextEncoder();
  const parts = typeof stdin === "string" || stdin instanceof Uint8Array ? [stdin] : stdin;
  for await (const part of parts)
    await connection.send(channels.stdin, typeof part === "string" ? encoder.encode(part) : part);
  await connection.end(channels.stdin);
}

async function receive(connection: ChannelConnection, stdout: Output, stderr: Output): Promise<number> {
  const reader = new EndingReader();
  for await (const { channel, data } of connection.received()) {
    if (channel === channels.error) reader.push(data);
    else if (channel === channels.stdout) await stdout.write(data);
    else if (channel === channels.stderr) await stderr.write(data);
  }
  const { ending } = reader;
  if (ending === undefined)
    throw new StreamBroken("the server ended the stream without the exit status of the process");
  if ("problem" in ending) throw new Error(ending.problem);
  stdout.end();
  stderr.end();
  return ending.exitCode;
}

/** One output of the process. Data that comes after its reader has left is dropped. */
class Output {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #pulled: (() => void) | undefined;
  #isOver = false;

  constructor() {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pulled?.(),
        cancel: () => {
          this.#isOver = true;
          this.#pulled?.();
        },
      },
      { highWaterMark: outputBufferBytes, size: (chunk) => chunk.byteLength },
    );
  }

  /** Resolves when more may be written. */
  async write(data: Uint8Array): Promise<void> {
    if (this.#isOver) return;
    this.#controller?.enqueue(Uint8Array.from(data));
    if ((this.#controller?.desiredSize ?? 1) > 0) return;
    await new Promise<void>((resolve) => {
      this.#pulled = resolve;
    });
  }

  end(): void {
    if (!this.#isOver) this.#controller?.close();
    this.#isOver = true;
  }

  fail(reason: unknown): void {
    if (!this.#isOver) this.#controller?.error(reason);
    this.#isOver = true;
  }
}
