/** The environment of a command: files and streams of the process, the clock, and connections to a server. */

import type { Clock } from "../base/clock.ts";
import type { Fetch } from "../client/contract.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import type { Level } from "../machinery/schema/levels.ts";

export interface Sink {
  write(text: string): void;
  /** Output of a process in a container, which need not be text. */
  writeBytes(bytes: Uint8Array): void;
  readonly isTerminal: boolean;
  /** Undefined: not a terminal, or its width is unknown. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Resolves when the reader has accepted the output, so that long outputs need little memory. */
  drained(): Promise<void>;
}

export interface InputSource {
  readonly isTerminal: boolean;
  /** Everything until its end. */
  readAll(): Promise<string>;
  /** One line, without its end; undefined: end of input. */
  readLine(): Promise<string | undefined>;
  /** The input as it arrives, until its end. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Undefined: standard input is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

export interface Terminal {
  /** Raw: each key is passed on as it is pressed, including the interrupt keys, and nothing is echoed. */
  setRaw(isRaw: boolean): void;
  /** Undefined: unknown. */
  size(): TerminalSize | undefined;
  /** Calls back whenever the size changes, until the returned function is called. */
  onResize(listener: () => void): () => void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A server inside this process, for offline checks. */
export interface LocalServer {
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
  close(): Promise<void>;
}

export interface LocalServerOptions {
  readonly vocabulary: "orch" | "kubernetes";
  /** The release whose API it serves. */
  readonly emulatedVersion: Level;
}

export interface ProgramEnvironment {
  /** The name by which the program was called: "kubectl" selects that program's defaults. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: InputSource;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** A server that is reached without any configuration. */
  readonly fetch?: Fetch | undefined;
  /** Starts a server in this process; absent where the program was built without one. */
  readonly startServer?: ((options: LocalServerOptions) => Promise<LocalServer>) | undefined;
  /** The declarations of built-in kinds; absent where the program was built without a server. */
  readonly loadKinds?:
    | (() => Promise<readonly Pick<Kind, "group" | "kind" | "schema" | "since" | "until">[]>)
    | undefined;
  /** Where the built page of the console is; absent where the program was built without it. */
  readonly consoleFolder?: string | undefined;
  readonly softwareVersion: string;
  /** The releases of the API that this client speaks, the default first: "v1.21.14". */
  readonly apiReleases: readonly string[];
}
