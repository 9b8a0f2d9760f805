/** What code that logs needs of a logger: a constant message and key-value pairs. */

export interface Log {
  /** As --v: 2 asks for refused requests, 4 for every request. Default: 0. */
  readonly verbosity?: number;
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The default inside another program: library use never prints. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
