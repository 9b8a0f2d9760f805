/** What a server inside a test offers beside its API: time, waiting, and copies of its state. */

import type { Clock } from "../base/clock.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { ControllerChoice } from "./controller-choice.ts";
import type { Faults } from "./faults/contract.ts";
import type { Journal } from "./journal/contract.ts";
import type { Loadable } from "./load/load.ts";
import type { SettleOptions } from "./settle.ts";
import type { AnObject, NamedKind, UntilOptions } from "./until.ts";

export interface Waits {
  readonly clock: ServerClock;
  /**
   * Resolves with the object, as soon as it exists and `isSo` returns true for it. The kind is `kinds.Pod`, one of "orch/client", or a text:
   * "Pod", "pods", "deployments.apps", "example.com/v1/Toy"; the name is "name" or "namespace/name". Rejects after `timeoutMs` of real time, and says what was seen last and
   * who still works.
   */
  until<T extends AnObject = ApiObject>(
    kind: NamedKind<T> | string,
    name: string,
    isSo: (object: T) => boolean,
    options?: UntilOptions,
  ): Promise<T>;
  /** Resolves when the object does not exist. */
  untilGone(kind: NamedKind | string, name: string, options?: UntilOptions): Promise<void>;
  /**
   * Resolves when no request is in progress, no controller has work or waits to try again after a failure, and no watcher is behind. It knows
   * the controllers of the server, and those of `runControllers` whose client is of `connect({ server })`.
   * Work that is planned for later, such as the next run of a CronJob, does not count.
   */
  settled(options?: SettleOptions): Promise<void>;
}

/** `Server`: what a fork is. */
export interface TestKit<Server> extends Waits {
  /**
   * Another server that begins with the present state of this one: its own history, watches, clock and controllers. Closing either leaves
   * the other open. Watches of this server cannot be continued there.
   */
  fork(options?: ForkOptions): Promise<Server>;
  /** Notes the present state, for `reset`. */
  mark(): Promise<void>;
  /**
   * Goes back to the state at the last `mark`, and throws if there was none. Watches end, and clients must list again: versions that
   * they know from before have expired. The port and the certificates stay.
   */
  reset(): Promise<void>;
  /** Faults of requests and watches. There are none until one is added; a fork begins without. */
  readonly faults: Faults;
  /** The requests that clients have made: with `createServer({ journal: true })`, or after `journal.start()`. */
  readonly journal: Journal;
  /**
   * Applies the objects of a file, of a folder with its subfolders, or of a list: what others need comes first, and definitions are waited for.
   * Resolves with their number. Rejects if some are refused, and names them with their files. A status in them is not used.
   */
  load(what: Loadable): Promise<number>;
  /** Writes the present state to a file, for `createServer({ from: path })`. It is a backup as `orch backup` makes it. */
  snapshot(path: string): Promise<void>;
}

export interface ForkOptions {
  /** As in createServer. Default: as in the server that is forked. */
  readonly controllers?: false | readonly ControllerChoice[];
}

/**
 * The one clock of a server and of its controllers. Clients that `connect({ server })` to a server with a virtual clock use it too, and so do their
 * informers and controllers.
 * @example
 * await server.clock.advance("1h");
 */
export interface ServerClock extends Clock {
  readonly isVirtual: boolean;
  /**
   * Moves a virtual clock: "1h", "90s", "1m30s", or milliseconds. Timers run in order, and controllers finish what each has caused
   * before the next one runs, also those of `runControllers` whose client is of this server. Rejects if the clock is that of the system.
   */
  advance(by: string | number): Promise<void>;
}
