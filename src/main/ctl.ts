/** `ctl`: the command line as a process, with its streams, its signals and a server inside it for offline checks. */

import { setMaxListeners } from "node:events";
import { homedir } from "node:os";
import { basename } from "node:path";
import { holdingClock } from "../base/clock.ts";
import type {
  InputSource,
  LocalServer,
  LocalServerOptions,
  ProgramEnvironment,
  Sink,
  Terminal,
} from "../ctl/environment.ts";
import { runCtl } from "../ctl/program.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import { apiReleaseTexts, softwareVersion } from "./version.ts";

/** Passed by the file in bin/: the arguments, and how to load the server when it is needed. */
export interface CtlHost {
  readonly calledAs: string;
  readonly consoleFolder?: string;
  readonly loadLibrary: () => Promise<{
    createServer(options: LocalServerOptions): Promise<LocalServer>;
    readonly kinds: Readonly<Record<string, Pick<Kind, "group" | "kind" | "schema">>>;
  }>;
}

export async function mainCtl(argv: readonly string[], host: CtlHost): Promise<void> {
  const interrupted = new AbortController();
  // Each request in progress adds a listener, and a command may send many at once.
  setMaxListeners(0, interrupted.signal);
  const onSignal = () => {
    // The second signal ends the process at once.
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const stdout = openJoiningSink(process.stdout);
  const environment: ProgramEnvironment = {
    program: programName(host.calledAs),
    env: process.env,
    cwd: process.cwd(),
    home: process.env["HOME"] || homedir(),
    stdin: openSource(interrupted.signal),
    stdout,
    stderr: openSink(process.stderr, () => stdout.flush()),
    // A command may wait for a timer alone, such as that of a retried request, and must not end then.
    clock: holdingClock,
    signal: interrupted.signal,
    startServer: async (options) => (await host.loadLibrary()).createServer(options),
    loadKinds: async () => Object.values((await host.loadLibrary()).kinds),
    consoleFolder: host.consoleFolder,
    softwareVersion,
    apiReleases: apiReleaseTexts,
  };
  // The plugin that converts manifests is one of our own commands.
  const isConvert = basename(host.calledAs) === "kubectl-convert";
  const code = await runCtl(isConvert ? ["convert", ...argv] : argv, environment);
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
  // Idle connections must not delay the exit; all output must be flushed before.
  process.exitCode = code;
  await Promise.all([environment.stdout.drained(), environment.stderr.drained()]);
  process.exit(code);
}

/** A link named kubectl selects the defaults of that program. */
function programName(calledAs: string): string {
  return /^kubectl(\.|-convert$|$)/.test(basename(calledAs)) ? "kubectl" : "ctl";
}

/** More output than this is passed on before the current step of the command is over. */
const pendingCharsMax = 64 * 1024;

/** Joins what is written at once: a write to a pipe wakes its reader, which takes longer than a short request. */
function openJoiningSink(stream: NodeJS.WriteStream): Sink & { flush(): void } {
  let pending = "";
  const flush = () => {
    if (pending === "") return;
    const text = pending;
    pending = "";
    stream.write(text);
  };
  const sink = openSink(stream, flush);
  return {
    ...sink,
    flush,
    write(text) {
      if (pending === "") setImmediate(flush);
      pending += text;
      if (pending.length > pendingCharsMax) flush();
    },
    // A terminal may change its size.
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
  };
}

/** `before`: passes on what was written before, so that both streams stay in order on a terminal. */
function openSink(stream: NodeJS.WriteStream, before: () => void): Sink {
  // It is not an error when a reader such as `head` closes the pipe.
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  const write = (data: string | Uint8Array) => {
    before();
    stream.write(data);
  };
  return {
    write,
    writeBytes: write,
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns || undefined; // 0: the terminal has not been told its size
    },
    get rows() {
      return stream.rows || undefined;
    },
    drained() {
      before();
      return new Promise((resolve) => (stream.writableLength === 0 ? resolve() : stream.write("", () => resolve())));
    },
  };
}

/** Most commands do not read standard input, and Node opens it on its first use. */
function openSource(signal: AbortSignal): InputSource {
  let lines: AsyncIterator<string> | undefined;
  return {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    async readAll() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
      return Buffer.concat(chunks).toString("utf8");
    },
    async readLine() {
      if (process.stdin.isTTY) return typedLine(signal);
      lines ??= (await readLines())[Symbol.asyncIterator]();
      const next = await lines.next();
      return next.done ? undefined : next.value;
    },
    chunks: () => process.stdin as AsyncIterable<Uint8Array>,
    get terminal() {
      return process.stdin.isTTY === true ? openTerminal() : undefined;
    },
  };
}

async function readLines() {
  const { createInterface } = await import("node:readline");
  return createInterface({ input: process.stdin });
}

/** Reads no further than the line, so that an editor which starts afterwards gets what is typed then. */
async function typedLine(signal: AbortSignal): Promise<string | undefined> {
  const reader = await readLines();
  if (signal.aborted) {
    reader.close();
    return undefined;
  }
  return new Promise((resolve) => {
    const stop = () => reader.close();
    reader.once("line", (line) => {
      resolve(line);
      stop();
    });
    reader.once("close", () => {
      signal.removeEventListener("abort", stop);
      resolve(undefined);
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Node restores the terminal when the process ends, by a signal as well. */
function openTerminal(): Terminal {
  return {
    setRaw: (isRaw) => void process.stdin.setRawMode(isRaw),
    size() {
      const { columns, rows } = process.stdout.isTTY ? process.stdout : process.stderr;
      return columns && rows ? { columns, rows } : undefined;
    },
    onResize(listener) {
      const stream = process.stdout.isTTY ? process.stdout : process.stderr;
      stream.on("resize", listener);
      return () => stream.off("resize", listener);
    },
  };
}
