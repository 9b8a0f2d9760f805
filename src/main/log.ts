/** The logger of the commands: one JSON object a line on standard error, without secrets. */

import type { Log } from "../base/log.ts";

/** Field names whose values never reach the log, wherever code might pass them by mistake. */
const secretFields = ["authorization", "token", "password", "secret", "key", "cookie", "credential"];

export interface CommandLog extends Log {
  /** Writes out what is still in memory. */
  flush(): void;
}

/** `verbosity` as --v: 0 changes of state and problems, 2 refused requests, 4 every request. */
export async function createLog(verbosity: number): Promise<CommandLog> {
  const { pino } = await import("pino");
  const destination = pino.destination({ dest: 2, sync: false });
  const logger = pino(
    {
      level: verbosity >= 4 ? "debug" : "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: "[hidden]" },
    },
    destination,
  );
  const write = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: Record<string, unknown>) =>
    logger[level](fields === undefined ? {} : plainFields(fields), message);
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    flush() {
      try {
        destination.flushSync();
      } catch {
        // The destination is not open yet, so nothing has been written to it.
      }
    },
  };
}

/** Errors print as nothing in JSON, and bigints not at all. */
function plainFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: plain(cause) }) };
}
