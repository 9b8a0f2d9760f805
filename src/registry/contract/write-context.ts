/** How a write came about: who asks, for whom, and how long they wait. */

import type { User } from "../../authn/contract.ts";
import type { MemoryHold } from "../../base/memory-budget.ts";

/** Whoever asked for something, and may have left. */
export interface Asker {
  /** Nobody waits for the outcome any more: the client has gone, or was told that it took too long. */
  readonly gone: boolean;
  /** Aborts when that happens. Made on first use: it costs a tenth of a write, and most need none. */
  readonly signal: AbortSignal;
  /** When it will be told so, on the monotonic clock; Infinity: never. */
  readonly deadlineMs: number;
  /**
   * The request waits for somebody else, and does not count among those that are worked on until the returned function is called.
   * Absent: it is not counted.
   */
  stepAside?(): () => void;
}

/** How a write came about. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** Who owns the fields that this write sets; from fieldManager, else the user agent. "": not tracked. */
  readonly fieldManager: string;
  /** Adds a sentence to the Warning header. */
  warn(text: string): void;
  /** Adds to the audit record of the request; the first value of a key stays. Absent: there is no record. */
  annotate?(key: string, value: string): void;
  /** No plugin is asked: the server writes as part of a request that was admitted already. Default: false. See server-writes.ts. */
  readonly skipAdmission?: boolean;
  /** An update is stored as `change` makes it, whatever the kind's own rules say of clients. Default: false. */
  readonly skipRules?: boolean;
  /** How many bytes the client sent; a large write is done in turns with others. Default: 0. */
  readonly bytes?: number;
  /** What the request holds of a memory budget; it is released while the write waits for admission. Absent: nothing. */
  readonly memory?: MemoryHold;
  /** The options object of the request as admission shows it. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Who is told of the outcome. When they have gone nothing is written any more, and the write fails; what the store has been
   * given already is not taken back. Absent: the server itself, which does not leave.
   */
  readonly asker?: Asker;
}
