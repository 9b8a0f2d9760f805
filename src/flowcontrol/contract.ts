/**
 * What the request filters need from this room: which request is executed at once, which one waits, and which one is
 * refused. `nowMs` is the time on the monotonic clock if the caller has just read it; otherwise it is read again.
 */

import type { Attributes } from "../authz/contract.ts";

export interface Fairness {
  /**
   * Finds the flow of a request and gives it a seat or a place in a queue, or rejects it. The caller ends the ticket. `width`: how
   * many seats it holds, at most all of its level; default 1.
   */
  admit(request: Attributes, nowMs?: number, width?: number): Ticket;
}

/** `ended`: the request has finished, or no longer waits. */
export type Phase = "waiting" | "executing" | "rejected" | "ended";

/** The state of one request. A waiting ticket becomes executing, or rejected when it has waited for too long. */
export interface Ticket {
  readonly phase: Phase;
  /** The uids of the flow schema that matched and of its priority level; "": the object does not exist at the moment. */
  readonly schemaUid: string;
  readonly levelUid: string;
  /** Calls back once, when a waiting ticket is executing or rejected. Never called for a ticket that was ended before. */
  onSettled(callback: () => void): void;
  /** Gives the seat or the place in the queue back. Calling it again does nothing. */
  end(nowMs?: number): void;
  /**
   * The request waits for another server, or for a client that reads slowly, until the returned function is called. It keeps its
   * seat, but flows without any request in progress may use it meanwhile.
   */
  releaseSeat(): () => void;
}
