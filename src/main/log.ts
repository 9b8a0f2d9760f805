/** The logger of the commands: one JSON object a line on standard error, without secrets and without waiting. */

import { write as writeFile } from "node:fs";
import type { Log } from "../base/log.ts";

/** Fields whose values never reach the log, wherever code might pass them by mistake. */
const secretFields = new Set(["authorization", "token", "password", "secret", "key", "cookie", "credential"]);

/** A longer text is cut: what a client sends must not fill a disk. */
export const logTextMax = 8_192;
/** Lines that wait for a reader who does not read; further ones are counted and left out. */
export const logPendingMax = 10_000;

export interface CommandLog extends Log {
  /** Resolves when what was logged so far has been written. */
  flush(): Promise<void>;
}

/** Writes `text` and calls back with the number of bytes written, as fs.write does. */
export type LogWriter = (text: Buffer, done: (error: Error | null, written: number) => void) => void;

const standardError: LogWriter = (text, done) => writeFile(2, text, 0, text.length, null, done);

/** `verbosity` as --v: 0 changes of state and problems, 2 refused requests, 4 every request. */
export function createLog(verbosity: number, write: LogWriter = standardError): CommandLog {
  const lines = new LineQueue(write);
  const log = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    lines.add(formatLine(level, message, fields));
  return {
    debug: verbosity >= 4 ? log("debug") : () => {},
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: () => lines.flush(),
  };
}

/** Waits between two tries when standard error takes nothing for the moment. */
const againMs = 50;

/** Gathers the lines of one turn of the loop into one write, and never has two writes under way. */
class LineQueue {
  readonly #write: LogWriter;
  #lines: string[] = [];
  #leftOut = 0;
  #writing: Promise<void> | undefined;

  constructor(write: LogWriter) {
    this.#write = write;
  }

  add(line: string): void {
    if (this.#lines.length >= logPendingMax) {
      this.#leftOut++;
      return;
    }
    this.#lines.push(line);
    this.#writing ??= this.#writeAll();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#lines.length > 0) {
      if (this.#leftOut > 0) this.#lines.push(formatLine("warn", "log lines left out", { count: this.#leftOut }));
      const text = Buffer.from(this.#lines.join(""));
      this.#lines = [];
      this.#leftOut = 0;
      await this.#writeWhole(text);
    }
    this.#writing = undefined;
  }

  async #writeWhole(text: Buffer): Promise<void> {
    for (let at = 0; at < text.length; ) {
      const written = await new Promise<number | undefined>((resolve) =>
        this.#write(text.subarray(at), (error, count) => {
          if (error === null) resolve(count);
          // Any other error than "not now" will not go away, and there is nowhere left to tell it.
          else resolve("code" in error && error.code === "EAGAIN" ? 0 : undefined);
        }),
      );
      if (written === undefined) return;
      if (written === 0) await new Promise((resolve) => setTimeout(resolve, againMs));
      at += written;
    }
  }
}

function formatLine(level: string, message: string, fields: Record<string, unknown> | undefined): string {
  const record = { level, time: new Date().toISOString(), ...fields, msg: message };
  let text: string;
  try {
    text = JSON.stringify(record, plain);
  } catch {
    // A value that contains itself: the message alone is better than none.
    text = JSON.stringify({ level, time: record.time, msg: message });
  }
  return `${text.replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)}\n`;
}

/** JSON leaves these as they are, but a terminal or another reader may take them for a control or the end of the line. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Errors print as nothing in JSON, and bigints not at all. */
function plain(name: string, value: unknown): unknown {
  if (secretFields.has(name)) return "[hidden]";
  if (typeof value === "string" && value.length > logTextMax) return `${value.slice(0, logTextMax)}…`;
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name: type, message, stack, cause } = value;
  return { name: type, message, stack, ...(cause === undefined ? {} : { cause }) };
}
