/** What a command may touch outside of itself: files and streams of the process, the clock, and the way to a server. */

import type { Clock } from "../base/clock.ts";
import type { Fetch } from "../client/contract.ts";

export interface Sink {
  write(text: string): void;
  /** What a process in a container prints, which need not be text. */
  writeBytes(bytes: Uint8Array): void;
  readonly isTerminal: boolean;
  /** Undefined: not a terminal, or its width is not known. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Resolves when the reader has taken what was written, so that long outputs stay small in memory. */
  drained(): Promise<void>;
}

export interface Source {
  readonly isTerminal: boolean;
  /** Everything until its end. */
  readAll(): Promise<string>;
  /** One line, without its end; undefined: there is none. */
  readLine(): Promise<string | undefined>;
  /** What arrives, as it arrives, until its end. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Undefined: standard input is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

export interface Terminal {
  /** Raw: each key is passed on as it is pressed, the keys that interrupt included, and nothing is echoed. */
  setRaw(isRaw: boolean): void;
  /** Undefined: not known. */
  size(): TerminalSize | undefined;
  /** Calls back whenever the size changes, until the returned function is called. */
  onResize(listener: () => void): () => void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A server inside this process, for what is checked offline. */
export interface LocalServer {
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
  close(): Promise<void>;
}

export interface Environment {
  /** By which name the program was called: "kubectl" brings that program's defaults. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** A server that is reached without any configuration. */
  readonly fetch?: Fetch | undefined;
  /** Starts a server in this process; absent where the program was built without one. */
  readonly startServer?: ((vocabulary: "orch" | "kubernetes") => Promise<LocalServer>) | undefined;
  readonly softwareVersion: string;
  /** The release of the API that this client was made for: "v1.21.14". */
  readonly apiRelease: string;
}
