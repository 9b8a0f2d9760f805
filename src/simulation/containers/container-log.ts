/** What a simulated container has written, line by line, with the time of each line. */

import { type LogLine, linesKeptMax, logBytesMax } from "../agent/log-lines.ts";
import type { OutputSink } from "../shell/streams.ts";
import type { KeptBytes } from "./kept-bytes.ts";

/** A longer line is kept as several. */
export const lineBytesMax = 64 * 1024;
/** What a line costs beside its text. */
const lineBytes = 64;
/** Parts of a line are joined after so many. */
const partsMax = 64;

export class ContainerLog implements OutputSink {
  /** Those before `#from` are gone. */
  #lines: LogLine[] = [];
  #from = 0;
  /** How many lines are gone. */
  #dropped = 0;
  #bytes = 0;
  #open: Buffer[] = [];
  #openBytes = 0;
  readonly #nowMs: () => number;
  readonly #kept: KeptBytes | undefined;

  constructor(nowMs: () => number, kept?: KeptBytes) {
    this.#nowMs = nowMs;
    this.#kept = kept;
  }

  write(data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      const newline = data.indexOf(10, at);
      const room = lineBytesMax - this.#openBytes;
      const end = Math.min(newline < 0 ? data.length : newline, at + room);
      this.#open.push(Buffer.from(data.subarray(at, end)));
      if (this.#open.length > partsMax) this.#open = [Buffer.concat(this.#open)];
      this.#openBytes += end - at;
      if (end === newline || this.#openBytes >= lineBytesMax) this.#flush(end !== newline);
      at = end === newline ? end + 1 : end;
    }
    this.#kept?.set(this, this.#bytes + this.#openBytes);
  }

  /** What was written so far becomes a line; an open one has no newline. */
  #flush(isOpen: boolean): void {
    const text = Buffer.concat(this.#open).toString();
    this.#open = [];
    this.#openBytes = 0;
    this.#lines.push({ atMs: this.#nowMs(), text, ...(isOpen && { isOpen }) });
    this.#bytes += sizeOf(text);
    while (this.#bytes > logBytesMax || this.#lines.length - this.#from > linesKeptMax) this.#drop();
  }

  /** The process has ended. */
  end(): void {
    if (this.#openBytes > 0) this.#flush(true);
  }

  clear(): void {
    this.#dropped += this.#lines.length - this.#from;
    this.#lines = [];
    this.#from = 0;
    this.#bytes = 0;
    this.#open = [];
    this.#openBytes = 0;
    this.#kept?.set(this, 0);
  }

  /** How many lines were written. */
  get count(): number {
    return this.#dropped + this.#lines.length - this.#from;
  }

  /** The number of the first line that is kept. */
  get first(): number {
    return this.#dropped;
  }

  /** By its number; undefined: it is gone, or not written yet. */
  line(number: number): LogLine | undefined {
    return number < this.#dropped ? undefined : this.#lines[this.#from + number - this.#dropped];
  }

  #drop(): void {
    const gone = this.#lines[this.#from++];
    this.#dropped++;
    this.#bytes -= sizeOf(gone?.text ?? "");
    if (this.#from < 1_000) return;
    this.#lines = this.#lines.slice(this.#from);
    this.#from = 0;
  }
}

const sizeOf = (text: string): number => Buffer.byteLength(text) + lineBytes;
