/** A recorder writes an Event for everything that happens to an object, without ever blocking its caller. */

import type { AnyObject } from "../contract.ts";

export interface Recorder {
  /**
   * Says what happened to `object` (which needs kind and apiVersion); resolves nothing and never throws: an event that
   * cannot be written is logged and forgotten. `reason` is one word in CamelCase.
   */
  event(object: AnyObject | ObjectReference, type: "Normal" | "Warning", reason: string, message: string): void;
}

/** An object that is known by name only. */
export interface ObjectReference {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

export interface Recorders {
  /** As `component`: "deployment-controller". */
  of(component: string): Recorder;
  /** Writes what waits, then nothing any more. */
  close(): Promise<void>;
}
