/** Warnings that repeat many times a second while etcd is away, written once in a while instead. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";

/** How long the same message is only counted after it was written. */
export const countedMs = 5_000;

export class RepeatedWarnings {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #written = new Map<string, { atMs: number; omitted: number }>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `message` is one of a few constant texts; `omitted` says how often it was not written since the last time. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    const now = this.#clock.monotonic();
    const last = this.#written.get(message);
    if (last !== undefined && now - last.atMs < countedMs) {
      last.omitted += 1;
      return;
    }
    this.#written.set(message, { atMs: now, omitted: 0 });
    this.#log.warn(message, last === undefined || last.omitted === 0 ? fields : { ...fields, omitted: last.omitted });
  }
}
