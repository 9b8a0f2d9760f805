/** The logger of the commands: one line for each entry on standard error, without secrets and without waiting. */

import { write as writeFile } from "node:fs";
import { isatty } from "node:tty";
import type { Log } from "./log.ts";
import { escapeControls, textLine } from "./log-text.ts";

/** Fields whose values are never logged, even if code passes them by mistake. */
const secretFields = new Set(["authorization", "token", "password", "secret", "key", "cookie", "credential"]);

/** A longer text is cut: what a client sends must not fill a disk. */
export const logTextMax = 8_192;
/** Lines that may wait for a slow reader; further ones are counted and dropped. */
export const logPendingMax = 10_000;

export interface CommandLog extends Log {
  /** Resolves when everything logged so far has been written. */
  flush(): Promise<void>;
}

/** Writes `text` and calls back with the number of bytes written, as fs.write does. */
export type LogWriter = (text: Buffer, done: (error: Error | null, written: number) => void) => void;

const standardError: LogWriter = (text, done) => writeFile(2, text, 0, text.length, null, done);

interface LogOptions {
  /** --v: 0 changes of state and problems, 2 refused requests, 4 every request. */
  readonly verbosity: number;
  /** --log-format. Default: text on a terminal, else json. */
  readonly format?: "" | "text" | "json";
  readonly write?: LogWriter;
}

export function createLog({ verbosity, format = "", write = standardError }: LogOptions): CommandLog {
  const isTerminal = write === standardError && isatty(2);
  const isText = format === "text" || (format === "" && isTerminal);
  const line: FormatLine = isText ? (record) => textLine(record, isTerminal && !process.env["NO_COLOR"]) : jsonLine;
  const lines = new LineQueue(write, line);
  const log = (level: LogRecord["level"]) => (message: string, fields?: Record<string, unknown>) =>
    lines.add(line({ level, time: new Date().toISOString(), message, fields: readable(fields) }));
  return {
    verbosity,
    debug: verbosity >= 4 ? log("debug") : () => {},
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: () => lines.flush(),
  };
}

/** How long to wait between two attempts when standard error accepts nothing for the moment. */
const againMs = 50;

/** Joins the lines of one iteration of the event loop into one write, and never has two writes in progress. */
class LineQueue {
  readonly #write: LogWriter;
  readonly #format: FormatLine;
  #lines: string[] = [];
  #leftOut = 0;
  #writing: Promise<void> | undefined;

  constructor(write: LogWriter, format: FormatLine) {
    this.#write = write;
    this.#format = format;
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
      if (this.#leftOut > 0) {
        const fields = { count: this.#leftOut };
        const time = new Date().toISOString();
        this.#lines.push(this.#format({ level: "warn", time, message: "log lines dropped", fields }));
      }
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
          // Any error but "try again" is permanent, and there is nowhere left to report it.
          else resolve("code" in error && error.code === "EAGAIN" ? 0 : undefined);
        }),
      );
      if (written === undefined) return;
      if (written === 0) await new Promise((resolve) => setTimeout(resolve, againMs));
      at += written;
    }
  }
}

/** One entry, its fields made of plain JSON values. */
export interface LogRecord {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly time: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
type FormatLine = (record: LogRecord) => string;

function jsonLine({ level, time, message, fields }: LogRecord): string {
  return `${escapeControls(JSON.stringify({ level, time, ...fields, msg: message }))}\n`;
}

/** Fields as JSON shows them: without secrets, cut, errors with their stack. A value that contains itself is left out. */
function readable(fields: Record<string, unknown> | undefined): Readonly<Record<string, unknown>> {
  if (fields === undefined) return {};
  try {
    return JSON.parse(JSON.stringify(fields, plain)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** JSON.stringify prints errors as {} and throws on bigints. */
function plain(name: string, value: unknown): unknown {
  if (secretFields.has(name) && typeof value !== "number") return "[hidden]"; // how long authorization took is not one
  if (typeof value === "string" && value.length > logTextMax) return `${value.slice(0, logTextMax)}…`;
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name: type, message, stack, cause } = value;
  return { name: type, message, stack, ...(cause === undefined ? {} : { cause }) };
}
