/** `controller()`: what a controller is about. `runControllers` runs it. */

import type { Log } from "../../base/log.ts";
import type { AnyObject, ServedKind } from "../../client/contract.ts";
import type { ObjectReference } from "../../client/events/contract.ts";
import type { Informer, InformerSelection, Informers } from "../../client/informer/contract.ts";
import type { Client, Target } from "../contract.ts";

export interface ControllerOptions<T extends AnyObject> {
  /** For logs, metrics and as the source of Events. Default: the kind in lower case and "-controller". */
  readonly name?: string;
  /** The kind whose objects are reconciled. */
  readonly for: ServedKind<T>;
  /** Which of them. Default: all. */
  readonly selection?: InformerSelection;
  /** Kinds that the controller creates for its objects (`setOwner`): a change of one makes it look at the owner. */
  // biome-ignore lint/suspicious/noExplicitAny: only the metadata of objects is read
  readonly owns?: readonly ServedKind<any>[];
  /** Other kinds whose changes concern some objects: `watch(Secret, (secret) => ["shop/prices"])`. */
  readonly watches?: readonly Watched[];
  /** How many objects are reconciled at once; one object never is twice. Default: 1. */
  readonly workers?: number;
  /**
   * Makes the world what the object says. Called when the object or something that it depends on has changed, also once for each
   * object at the start, until the object is gone. When it throws, it is called again with growing delays; `TryAgain` says that
   * this is no failure.
   */
  reconcile(request: Reconcile<T>): Promise<void>;
}

export interface Reconcile<T extends AnyObject> {
  /** A copy of the state in the cache, which may be changed. */
  readonly object: T;
  readonly client: Client;
  /** The copies that the controllers of this process share. */
  readonly informers: Informers;
  readonly events: ObjectEvents;
  readonly log: Log;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
  /** Looks again after this time, even if nothing changes. */
  requeueAfter(ms: number): void;
}

/** Records Events, about the object unless another one is named. Never throws and never waits. */
export interface ObjectEvents {
  /** `reason` is one word in CamelCase. */
  normal(reason: string, message: string, about?: AnyObject | ObjectReference): void;
  warning(reason: string, message: string, about?: AnyObject | ObjectReference): void;
}

/** A kind that a controller follows, and the objects that a change of it concerns. */
export interface Watched {
  follow(informers: Informers, enqueue: (target: Target) => void): Pick<Informer<AnyObject>, "synced">;
}

export function watch<T extends AnyObject>(
  kind: ServedKind<T>,
  concerns: (object: T) => readonly Target[],
  selection?: InformerSelection,
): Watched {
  return {
    follow(informers, enqueue) {
      const informer = informers.of(kind, selection);
      const tell = (object: T) => concerns(object).forEach(enqueue);
      informer.on({
        add: tell,
        // What the object was about before may have to change too.
        update(object, old) {
          tell(old);
          tell(object);
        },
        delete: tell,
      });
      return informer;
    },
  };
}

/** A controller of any kind. */
export interface Controller extends Omit<ControllerOptions<AnyObject>, "name" | "for" | "reconcile"> {
  readonly name: string;
  readonly for: ServedKind<AnyObject>;
  reconcile(request: Reconcile<AnyObject>): Promise<void>;
}

export function controller<T extends AnyObject>(options: ControllerOptions<T>): Controller {
  const name = options.name ?? `${options.for.kind.toLowerCase()}-controller`;
  return { ...options, name } as unknown as Controller; // it is only called with objects of its kind
}
