/** Runs `ctl` over the network in a test: configuration from a file, byte streams, and a simulated terminal. */

import { setMaxListeners } from "node:events";
import { systemClock } from "../../base/clock.ts";
import type { ProgramEnvironment, Sink, Terminal, TerminalSize } from "../environment.ts";
import { runCtl } from "../program.ts";
import { Passage } from "./passage.ts";

export interface RemoteOutcome {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

export interface RemoteRun {
  readonly config: string;
  readonly cwd?: string;
  readonly program?: string;
  /** Typed or piped input; an iterable may be endless. */
  readonly input?: string | Buffer | AsyncIterable<Uint8Array>;
  readonly terminal?: TestTerminal;
  /** Called with all standard output so far. */
  readonly onOut?: (out: string) => void;
  readonly signal?: AbortSignal;
  /** Receives the bytes of standard output instead of keeping them; a returned promise is awaited. */
  readonly take?: (bytes: Uint8Array) => void | Promise<void>;
}

export async function runRemoteCtl(line: string | readonly string[], run: RemoteRun): Promise<RemoteOutcome> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  run.signal?.addEventListener("abort", () => stop.abort(), { once: true });
  const isTerminal = run.terminal !== undefined;
  const out = sink(isTerminal, run);
  const err = sink(isTerminal, {});
  const { input } = run;
  const environment: ProgramEnvironment = {
    program: run.program ?? "kubectl",
    env: { PATH: process.env["PATH"], KUBECONFIG: run.config, XDG_CACHE_HOME: `${run.config}.cache` },
    cwd: run.cwd ?? "/",
    home: "/nonexistent",
    stdin: {
      isTerminal,
      readAll: async () => String(input ?? ""),
      readLine: async () => undefined,
      async *chunks() {
        if (typeof input === "string" || Buffer.isBuffer(input)) yield Buffer.from(input);
        else if (input !== undefined) yield* input;
      },
      terminal: run.terminal,
    },
    stdout: out.sink,
    stderr: err.sink,
    clock: systemClock,
    signal: stop.signal,
    softwareVersion: "0.0.0",
    apiReleases: ["v1.21.14", "v1.35.8"],
  };
  const code = await runCtl(typeof line === "string" ? line.split(" ") : line, environment);
  return { code, out: Buffer.concat(out.chunks), err: Buffer.concat(err.chunks).toString("utf8") };
}

function sink(isTerminal: boolean, { onOut, take }: Pick<RemoteRun, "onOut" | "take">) {
  const chunks: Buffer[] = [];
  let waiting: void | Promise<void>;
  const made: Sink = {
    isTerminal,
    columns: isTerminal ? 100 : undefined,
    rows: isTerminal ? 30 : undefined,
    write: (text) => made.writeBytes(Buffer.from(text)),
    writeBytes(bytes) {
      if (take !== undefined) {
        waiting = take(bytes);
        return;
      }
      chunks.push(Buffer.from(bytes));
      onOut?.(Buffer.concat(chunks).toString("utf8"));
    },
    drained: async () => waiting,
  };
  return { sink: made, chunks };
}

/** A terminal that records the calls on it. */
export class TestTerminal implements Terminal {
  readonly modes: boolean[] = [];
  readonly keys = new Passage();
  readonly #listeners = new Set<() => void>();
  #size: TerminalSize = { columns: 80, rows: 24 };

  setRaw(isRaw: boolean): void {
    this.modes.push(isRaw);
  }
  size(): TerminalSize {
    return this.#size;
  }
  onResize(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  get listenerCount(): number {
    return this.#listeners.size;
  }
  resize(size: TerminalSize): void {
    this.#size = size;
    for (const listener of this.#listeners) listener();
  }
}
