/** What simulated processes read and write: pipes, files and logs. */

import { bytesOfLine, pipeBytesMax } from "./limits.ts";
import type { Run } from "./wait.ts";

export interface OutputSink {
  /** Throws BrokenPipe if the reader is gone. */
  write(data: Buffer): void;
  /** Whether the writer has to wait. Default: never. */
  isFull?(): boolean;
}

export interface Source {
  /** Undefined: nothing yet, or the end. */
  read(): Buffer | undefined;
  /** Puts bytes back, which are read next. */
  unread(data: Buffer): void;
  hasData(): boolean;
  isEnded(): boolean;
}

export interface Streams {
  readonly stdin: Source;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
}

/** The reader is gone: the writer ends, as by SIGPIPE. */
export class BrokenPipe extends Error {}

export class Pipe implements OutputSink, Source {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;
  #isClosed = false;
  /** Called when something was read, or the reader is gone. */
  onRead: () => void = () => {};

  write(data: Buffer): void {
    if (this.#isClosed) throw new BrokenPipe();
    if (data.length === 0) return;
    this.#chunks.push(data);
    this.#bytes += data.length;
  }

  isFull(): boolean {
    return this.#bytes >= pipeBytesMax && !this.#isClosed;
  }

  /** No more will be written. */
  end(): void {
    this.#hasEnded = true;
  }

  /** The reader is gone. */
  close(): void {
    this.#isClosed = true;
    this.#chunks = [];
    this.onRead();
  }

  read(): Buffer | undefined {
    if (this.#chunks.length === 0) return undefined;
    const data = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.onRead();
    return data;
  }

  unread(data: Buffer): void {
    this.#chunks.unshift(data);
    this.#bytes += data.length;
  }

  hasData(): boolean {
    return this.#chunks.length > 0;
  }

  isEnded(): boolean {
    return this.#hasEnded && this.#chunks.length === 0;
  }
}

/** /dev/null. */
export const nothing: OutputSink & Source = {
  write: () => {},
  read: () => undefined,
  unread: () => {},
  hasData: () => false,
  isEnded: () => true,
};

export const sourceOf = (data: Buffer): Source => {
  const pipe = new Pipe();
  pipe.write(data);
  pipe.end();
  return pipe;
};

/** The next bytes; undefined: the end. */
export function* readChunk(source: Source): Run<Buffer | undefined> {
  for (;;) {
    const data = source.read();
    if (data !== undefined) {
      yield { at: "step", bytes: data.length };
      return data;
    }
    if (source.isEnded()) return undefined;
    yield { at: "until", isReady: () => source.isEnded() || source.hasData() };
  }
}

/** Everything, up to a limit. */
export function* readAll(source: Source, bytesMax: number): Run<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (let chunk = yield* readChunk(source); chunk !== undefined; chunk = yield* readChunk(source)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks);
}

export function* write(sink: OutputSink, data: Buffer | string): Run<void> {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  sink.write(bytes);
  yield { at: "step", bytes: bytes.length + bytesOfLine * linesIn(bytes) };
  if (sink.isFull?.()) yield { at: "until", isReady: () => sink.isFull?.() !== true };
}

function linesIn(data: Buffer): number {
  let lines = 0;
  for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) lines++;
  return lines;
}
