/** A simulated container as its processes see it. */

import type { OutputSink, Source, Streams } from "./streams.ts";
import type { Run } from "./wait.ts";

export interface Host {
  readonly files: Files;
  readonly hostname: string;
  nowMs(): number;
  /** Where the container's own process writes: its log. */
  readonly log: OutputSink;
  /** By its name without folder; undefined: there is none. */
  program(name: string): ShellProgram | undefined;
  /** Starts another process of the container. Throws TooManyTasks. */
  start(run: (task: ShellTask) => Run): ShellTask;
  /** The process of the container with this number; undefined: it has ended. */
  find(pid: number): ShellTask | undefined;
}

/** A process. */
export interface ShellTask {
  readonly pid: number;
  /** Undefined: it still runs. */
  readonly exitCode: number | undefined;
  /** What it does about a signal; false or undefined: what such processes do by default. */
  handler: ((signal: Signal) => boolean) | undefined;
  signal(signal: Signal): void;
}

export const signals = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, USR1: 10, USR2: 12, TERM: 15 } as const;
export type Signal = keyof typeof signals;

/** "TERM", "SIGTERM" or "15"; undefined: unknown. */
export function signalOf(text: string): Signal | undefined {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const names = Object.keys(signals) as Signal[]; // of the table above
  return names.find((one) => one === name || String(signals[one]) === name);
}

export class TooManyTasks extends Error {}

/** A command that is not part of the shell itself. */
export interface ShellProgram {
  readonly name: string;
  run(call: ProgramCall): Run;
  /** Whether it does what these arguments ask for; undefined where one is known only later. Default: always. */
  understands?(args: readonly (string | undefined)[]): boolean;
}

/** One use of a program. */
export interface ProgramCall {
  readonly name: string;
  /** Without its name. */
  readonly args: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly streams: Streams;
  readonly host: Host;
  readonly task: ShellTask;
  /** How many shells have called each other. */
  readonly depth: number;
}

/** Paths are absolute. */
export interface Files {
  read(path: string): Buffer | undefined;
  kind(path: string): "file" | "folder" | undefined;
  sizeOf(path: string): number;
  changedMs(path: string): number;
  /** In order; undefined: not a folder. */
  list(path: string): readonly string[] | undefined;
  /** These throw FileError. */
  write(path: string, data: Buffer, how: "replace" | "append"): void;
  makeFolder(path: string): void;
  /** A folder with all that is in it. */
  remove(path: string): void;
  /** Writes a whole file, and makes the folders above it. */
  put(path: string, data: Buffer, meta: FileMeta): void;
  metaOf(path: string): FileMeta;
}

export interface FileMeta {
  readonly mode: number;
  readonly changedMs: number;
}

/** Its message is what programs print: "No such file or directory". */
export class FileError extends Error {}

/** The stream that a path of /dev or /proc stands for; undefined: it is a file. */
export function deviceOf(path: string, streams: Streams, host: Host): (OutputSink & Partial<Source>) | undefined {
  switch (path) {
    case "/dev/stdout":
    case "/dev/fd/1":
    case "/proc/self/fd/1":
      return streams.stdout;
    case "/dev/stderr":
    case "/dev/fd/2":
    case "/proc/self/fd/2":
      return streams.stderr;
    case "/proc/1/fd/1":
    case "/proc/1/fd/2":
    case "/dev/console":
      return host.log;
    default:
      return undefined;
  }
}
