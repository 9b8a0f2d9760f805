/** The context of a write: its caller, its user, and how long the caller waits. */

import type { MemoryHold } from "../../base/memory-budget.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { AdmissionTrace } from "./admission.ts";
import type { WriteOrigin } from "./history.ts";
import type { Transaction } from "./transaction.ts";

/** The caller of a request, who may have left. */
export interface Caller {
  /** The caller no longer waits for the outcome: it has disconnected, or the request has timed out. */
  readonly gone: boolean;
  /** Aborts when that happens. Created on first use: it costs a tenth of a write, and most writes do not need it. */
  readonly signal: AbortSignal;
  /** When the request times out, on the monotonic clock; Infinity: never. */
  readonly deadlineMs: number;
  /**
   * The request waits for another service, and does not count as being in progress until the returned function is called.
   * Absent: it is not counted.
   */
  releaseSeat?(): () => void;
  /** A step of the request has just ended; for the trace of slow requests. Absent: none is kept. */
  mark?(step: string): void;
  /** Notes what admission does to the request. Absent or undefined: it is not recorded. */
  readonly trace?: AdmissionTrace | undefined;
  /** A webhook or policy has changed the object. Absent: nobody wants to know. */
  changedBy?(name: string): void;
  /** Read when a history is kept. Absent: the server itself. */
  readonly origin?: WriteOrigin;
}

/** The context of a write. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** The manager of the fields that this write sets; from fieldManager, otherwise the user agent. "": not tracked. */
  readonly fieldManager: string;
  /** Adds a sentence to the Warning header. */
  warn(text: string): void;
  /** Adds to the audit record of the request; the first value of a key is kept. Absent: there is no record. */
  annotate?(key: string, value: string): void;
  /** Skips all plugins: the server writes as part of a request that was already admitted. Default: false. See server-writes.ts. */
  readonly skipAdmission?: boolean;
  /** An update is stored as `change` makes it, without the kind's rules for clients. Default: false. */
  readonly skipRules?: boolean;
  /** How many bytes the client sent; a large write runs in time slices. Default: 0. */
  readonly bytes?: number;
  /** The part of a memory budget that the request holds; released while the write waits for admission. Absent: none. */
  readonly memory?: MemoryHold;
  /** The transaction that the write is part of. Absent: it is stored alone. */
  readonly transaction?: Transaction | undefined;
  /** The options object of the request, as admission passes it to plugins. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * The caller that gets the outcome. Once it has left, nothing more is written and the write fails; a write that the store has
   * already received is not undone. Absent: the server itself, which does not leave.
   */
  readonly caller?: Caller;
}
