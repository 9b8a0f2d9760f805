/** What a server inside a test offers beside its API: time, and waiting. */

import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import type { SettleOptions } from "./settle.ts";
import type { UntilOptions } from "./until.ts";

export interface TestKit {
  readonly clock: ServerClock;
  /**
   * Resolves with the object, as soon as it exists and `isSo` returns true for it. The kind is a declaration (`kinds.Pod`) or a text:
   * "Pod", "pods", "deployments.apps", "example.com/v1/Toy". Rejects after `timeoutMs` of real time, and says what was seen last and
   * who still works.
   */
  until<T extends ApiObject = ApiObject>(
    kind: Kind<T> | string,
    name: string,
    isSo: (object: T) => boolean,
    options?: UntilOptions,
  ): Promise<T>;
  /** Resolves when the object does not exist. */
  untilGone(kind: Kind | string, name: string, options?: UntilOptions): Promise<void>;
  /**
   * Resolves when no request is in progress, no controller has work or waits to try again after a failure, and no watcher is behind.
   * Work that is planned for later, such as the next run of a CronJob, does not count.
   */
  settled(options?: SettleOptions): Promise<void>;
}

/** The one clock of a server and of its controllers. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Moves a virtual clock: "1h", "90s", "1m30s", or milliseconds. Timers run in order, and controllers finish what each has caused
   * before the next one runs. Throws if the clock is that of the system.
   */
  advance(by: string | number): Promise<void>;
}
