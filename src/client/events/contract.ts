/** A recorder writes Events about objects, without ever blocking its caller. */

import type { AnyObject, Client } from "../contract.ts";

export interface Recorder {
  /**
   * Records what happened to `object` (which needs kind and apiVersion). Never throws: an Event that cannot be written is
   * logged and dropped. `reason` is one word in CamelCase. `cause`: what made the caller write, as in `WriteOptions`.
   */
  event(
    object: AnyObject | ObjectReference,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
    cause?: string,
  ): void;
}

/**
 * An object that is known by name only.
 * @example
 * events.warning("Missing", "the secret is missing", { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "salt" });
 */
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
  /** As `component`: "deployment-controller". `client`: where they are written, if not where all others are. */
  of(component: string, client?: Client): Recorder;
  /** Writes the waiting Events, then stops. */
  close(): Promise<void>;
}
