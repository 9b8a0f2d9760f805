/** `controller()`: what a controller is about. `runControllers` runs it. */

import {
  able,
  amount,
  callable,
  checkOptions,
  count,
  filled,
  listOf,
  type OptionRule,
  type OptionShape,
  options,
  required,
} from "../../base/check-options.ts";
import type { Log } from "../../base/log.ts";
import type { AnyObject, BareTraits, KindTraits, ServedKind, Stored } from "../../client/contract.ts";
import type { ObjectReference } from "../../client/events/contract.ts";
import type { Informer, InformerSelection, Informers } from "../../client/informer/contract.ts";
import { selection } from "../call-options.ts";
import type { Client, Target } from "../contract.ts";

/**
 * What a controller is about, and how it works.
 * @example
 * const options: ControllerOptions<ConfigMap> = { for: ConfigMap, workers: 2, async reconcile({ object }) {} };
 */
export interface ControllerOptions<T extends AnyObject, K extends KindTraits = KindTraits> {
  /** For logs, metrics and as the source of Events. Default: the kind in lower case and "-controller". */
  readonly name?: string;
  /** The kind whose objects are reconciled. */
  readonly for: ServedKind<T, K>;
  /** Which of them. Default: all. */
  readonly selection?: InformerSelection;
  /**
   * Whether a change of an object concerns the controller; without `old` the object is new. Default: all do. `generationChanged`
   * leaves out those of status and metadata alone.
   */
  when?(object: Stored<T, K>, old: Stored<T, K> | undefined): boolean;
  /** Kinds that the controller creates for its objects (`setOwner`): a change of one makes it look at the owner. */
  // biome-ignore lint/suspicious/noExplicitAny: only the metadata of objects is read
  readonly owns?: readonly ServedKind<any>[];
  /** Other kinds whose changes concern some objects: `watch(Secret, (secret) => ["shop/prices"])`. */
  readonly watches?: readonly Watched[];
  /** How many objects are reconciled at once; one object never is twice. Default: 1. */
  readonly workers?: number;
  /** What else makes the controller look at objects: a timer, a queue, a webhook. Each is started once, when work begins. */
  readonly sources?: readonly Source[];
  /** How a failed object is tried again. */
  readonly retry?: Retry;
  /**
   * After this time the signal of a reconcile aborts, its requests end, and the object is tried again. The next one begins only when it has
   * returned. Default: never.
   */
  readonly timeoutMs?: number;
  /** After this time all objects are looked at again, even if nothing changed. Default: never. */
  readonly resyncMs?: number;
  /**
   * Makes the world what the object says. Called when the object or something that it depends on has changed, also once for each
   * object at the start, until the object is gone. When it throws, it is called again with growing delays; a
   * `TryAgain` does not count as a failure.
   */
  reconcile(request: Reconcile<T, K>): Promise<void>;
}

/**
 * What `reconcile` is called with.
 * @example
 * const reconcile = async ({ object, client, signal }: Reconcile<Widget>) => {};
 */
export interface Reconcile<T extends AnyObject, K extends KindTraits = BareTraits> {
  /** A copy of the state in the cache, which may be changed. */
  readonly object: Stored<T, K>;
  readonly client: Client;
  /** The copies that the controllers of this process share. */
  readonly informers: Informers;
  readonly events: ObjectEvents;
  readonly log: Log;
  /** Aborts when the controller stops, or when the time of this call is over. The requests of `client` end with it. */
  readonly signal: AbortSignal;
  /** Looks again after this time, even if nothing changes. */
  requeueAfter(ms: number): void;
}

/**
 * Calls `enqueue` for objects that must be looked at, until the signal aborts. What it throws is logged.
 * @example
 * const everyMinute: Source = (enqueue, signal) => {
 *   const timer = setInterval(() => enqueue("shop/prices"), 60_000);
 *   signal.addEventListener("abort", () => clearInterval(timer));
 * };
 */
export type Source = (enqueue: (target: Target) => void, signal: AbortSignal) => void | Promise<void>;

/**
 * How a failed object is tried again.
 * @example
 * const retry: Retry = { firstMs: 100, longestMs: 60_000, attempts: 20 };
 */
export interface Retry {
  /** The delay after the first failure, doubled by each further one. Default: 5 ms. */
  readonly firstMs?: number;
  /** The longest delay. Default: 1000 s. */
  readonly longestMs?: number;
  /** After this many failures the object is left alone until it changes. Default: never. */
  readonly attempts?: number;
  /** How many tries again of all objects together there are in a second, in the long run. Default: 10. */
  readonly perSecond?: number;
  /** How many of them may come at once. Default: 100. */
  readonly burst?: number;
}

/**
 * Whether the specification has changed, or deletion has begun: for `when` of a controller that writes status. Kinds whose objects
 * have no generation always have.
 * @example
 * const sized = controller({ for: Widget, when: generationChanged, async reconcile({ object }) {} });
 */
export function generationChanged({ metadata }: AnyObject, old: AnyObject | undefined): boolean {
  return metadata.generation === undefined || metadata.generation !== old?.metadata.generation;
}

/**
 * Records Events, about the object unless another one is named. Never throws and never waits.
 * @example
 * events.normal("Copied", "copied to prices-copy");
 */
export interface ObjectEvents {
  /** `reason` is one word in CamelCase. */
  normal(reason: string, message: string, about?: AnyObject | ObjectReference): void;
  warning(reason: string, message: string, about?: AnyObject | ObjectReference): void;
}

/**
 * A kind that a controller follows, and the objects that a change of it concerns.
 * @example
 * const watches: Watched[] = [watch(Secret, () => ["shop/prices"])];
 */
export interface Watched {
  follow(informers: Informers, enqueue: (target: Target) => void): Pick<Informer<AnyObject>, "synced">;
}

/**
 * Makes a controller look at objects when objects of another kind change.
 * @example
 * controller({ for: ConfigMap, watches: [watch(Secret, (secret) => [`shop/${secret.metadata.name}`])], async reconcile() {} });
 */
export function watch<T extends AnyObject, K extends KindTraits = KindTraits>(
  kind: ServedKind<T, K>,
  concerns: (object: Stored<T, K>) => readonly Target[],
  selection?: InformerSelection,
  when: (object: Stored<T, K>, old: Stored<T, K> | undefined) => boolean = () => true,
): Watched {
  return {
    follow(informers, enqueue) {
      const informer: Informer<AnyObject & Stored<T, K>> = informers.of(kind, selection);
      const tell = (object: Stored<T, K>) => concerns(object).forEach(enqueue);
      informer.on({
        add(object) {
          if (when(object, undefined)) tell(object);
        },
        // What the object was about before may have to change too.
        update(object, old) {
          if (!when(object, old)) return;
          tell(old);
          tell(object);
        },
        delete: tell,
      });
      return informer;
    },
  };
}

/**
 * A controller of any kind.
 * @example
 * const controllers: Controller[] = [copies];
 */
export interface Controller extends Omit<ControllerOptions<AnyObject>, "name" | "for" | "reconcile"> {
  readonly name: string;
  readonly for: ServedKind<AnyObject>;
  reconcile(request: Reconcile<AnyObject>): Promise<void>;
}

/**
 * Declares a controller, and throws a TypeError if an option is unknown or makes no sense.
 * @example
 * const copies = controller({ for: ConfigMap, async reconcile({ object, client }) {} });
 */
export function controller<T extends AnyObject, K extends KindTraits = KindTraits>(
  given: ControllerOptions<T, K>,
): Controller {
  // What is called with objects of its kind is called with no others.
  const plain = given as unknown as ControllerOptions<AnyObject>;
  checkOptions<ControllerOptions<AnyObject>>("controller", plain, controllerShape);
  const name = plain.name ?? `${plain.for.kind.toLowerCase()}-controller`;
  return { ...plain, name };
}

const aKind: OptionRule = (value) =>
  typeof value === "object" && value !== null && "kind" in value && "resource" in value
    ? undefined
    : " must be a kind, such as ConfigMap or what defineResource returns";

const controllerShape: OptionShape<ControllerOptions<AnyObject>> = {
  name: filled,
  for: required(aKind),
  selection,
  when: callable,
  owns: listOf(aKind),
  watches: listOf(able("follow")),
  workers: count(1),
  sources: listOf(callable),
  retry: options<Retry>({
    firstMs: amount(0),
    longestMs: amount(0),
    attempts: count(1),
    perSecond: amount(Number.MIN_VALUE),
    burst: count(1),
  }),
  timeoutMs: amount(1),
  resyncMs: amount(1),
  reconcile: required(callable),
};
