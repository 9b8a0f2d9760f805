/** Faults that a test plans: which requests they hit, and what happens to those. */

import type { RequestVerb } from "../request-verbs.ts";

export interface Faults {
  /** From now on until it is removed. Throws if the fault cannot be. */
  add(fault: Fault): PlannedFault;
  /** Removes all. */
  clear(): void;
  /** Those that are planned, in the order in which they were added. */
  readonly all: readonly PlannedFault[];
}

/**
 * A fault that a server has.
 * @example
 * const fault: PlannedFault = server.faults.add({ match: { verb: "create" }, do: { status: 503 } });
 */
export interface PlannedFault {
  readonly fault: Fault;
  /** How many requests, or events of watches, it has changed so far. */
  readonly hits: number;
  remove(): void;
}

/**
 * Which requests are hit, and what happens to them.
 * @example
 * const fault: Fault = { match: { verb: "watch", nth: 1 }, do: { connection: "cut" } };
 */
export interface Fault {
  /** Absent: every request. */
  readonly match?: FaultMatch;
  readonly do: FaultAction;
}

/**
 * A request must have all of these; a list means any of its members. The last four count what matches, beginning with 1.
 * @example
 * const match: FaultMatch = { verb: ["create", "update"], resource: "pods", every: 3 };
 */
export interface FaultMatch {
  readonly user?: string | readonly string[];
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** "pods", "deployments.apps". */
  readonly resource?: string | readonly string[];
  /** "": the object itself. */
  readonly subresource?: string | readonly string[];
  readonly name?: string | readonly string[];
  readonly namespace?: string | readonly string[];
  /** Only this one; for faults of events, this event. */
  readonly nth?: number;
  /** Every second, third, … */
  readonly every?: number;
  /** From 0 to 1. */
  readonly probability?: number;
  /** Equal seeds give equal choices. Default: 1. */
  readonly seed?: number;
}

/**
 * What happens to a request.
 * @example
 * const slow: FaultAction = { latencyMs: 500 };
 */
export type FaultAction =
  | Latency
  | RefusedStatus
  | BrokenConnection
  | EventFault
  | ExpiredWatch
  | SilentBookmarks
  | StaleList;

/** The request waits, on the clock of the server. */
interface Latency {
  readonly latencyMs: number;
}

export interface RefusedStatus {
  readonly status: number;
  /** Default: the usual reason of the status. */
  readonly reason?: string;
  readonly message?: string;
  /** For the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** "after": the request is carried out, and its success is reported as this failure. Default: "before". */
  readonly when?: "before" | "after";
}

/** "refuse": nothing is carried out. "cut": the request is carried out, and its answer is lost. */
interface BrokenConnection {
  readonly connection: "refuse" | "cut";
}

/** Faults of watches. "reorder": an event comes after the next one. "delay": it and those behind it come later. */
export interface EventFault {
  readonly events: "drop" | "duplicate" | "reorder" | "delay";
  /** For "delay", on the clock of the server. */
  readonly delayMs?: number;
}

/** A watch ends with 410 after so many events; clients must list again. */
export interface ExpiredWatch {
  readonly expireAfterEvents: number;
}

export interface SilentBookmarks {
  readonly bookmarks: "silent";
}

/** A list is answered as the last one that was not hit, for the same path and query. The first one passes. */
interface StaleList {
  readonly list: "stale";
}
