/** The logger interface: a constant message and key-value pairs. */

/**
 * Where a program logs; `console` is one.
 * @example
 * const log: Log = console;
 */
export interface Log {
  /** The level of --v: 2 logs refused requests, 4 logs every request. Default: 0. */
  readonly verbosity?: number;
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The default inside another program: library use never prints. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
