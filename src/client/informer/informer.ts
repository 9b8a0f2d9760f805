/** An informer: a store that a reflector keeps up to date, and its handlers. */

import { checkOptions, text } from "../../base/check-options.ts";
import type { Log } from "../../base/log.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import type { AnyObject, CachedObject, ResourceAddress } from "../contract.ts";
import { changesOf, Refused } from "./changes.ts";
import type { Index, Informer, InformerHandler, LabelMatcher, ListedObjects, ObjectChange } from "./contract.ts";
import { type ObjectKeys, ownKeys } from "./keys.ts";
import type { Receiver } from "./reflector.ts";
import { Store } from "./store.ts";

export class StoreInformer<T extends AnyObject> implements Informer<T>, Receiver<T> {
  readonly address: ResourceAddress;
  readonly synced: Promise<void>;
  readonly #store: Store<T>;
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #log: Log;
  readonly #prepare: (object: T) => T;
  readonly #keys: ObjectKeys;
  #seen = new Set<string>();
  readonly #ended = new AbortController();
  #isSynced = false;
  #sync = () => {};
  #refuse: (error: unknown) => void = () => {};

  /** `prepare` sees every object before it is kept: tests freeze them. */
  constructor(address: ResourceAddress, log: Log, prepare: (object: T) => T = (object) => object, keys = ownKeys) {
    this.address = address;
    this.#log = log;
    this.#prepare = prepare;
    this.#keys = keys;
    const { resource } = address;
    const failed = (index: string, error: unknown) =>
      log.error("an object cannot be indexed", { resource, index, error });
    this.#store = new Store<T>(failed, keys.held);
    this.synced = new Promise((resolve, reject) => {
      this.#sync = resolve;
      this.#refuse = reject;
    });
    // Callers may wait for it or not: an unobserved rejection would end the process.
    this.synced.catch(() => undefined);
  }

  hasSynced(): boolean {
    return this.#isSynced;
  }
  get(key: string): T | undefined {
    return this.#store.held(key)?.object();
  }
  list(which: string | ListedObjects = {}): readonly T[] {
    if (typeof which === "string") return this.#store.list(which);
    checkOptions("list", which, { namespace: text, selector: text });
    const { namespace, selector } = which;
    return selector ? this.select(namespace, parseLabelSelector(selector)) : this.#store.list(namespace);
  }
  select(namespace: string | undefined, selector: LabelMatcher): readonly T[] {
    return this.#store.select(namespace, (labels) => selector.matches(labels));
  }
  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T> {
    return this.#store.index(name, valuesOf);
  }
  on(handler: InformerHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#call(() => handler.add?.(object));
    return () => this.#handlers.delete(handler);
  }

  changes({ signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<ObjectChange<T>> {
    const on = (handler: InformerHandler<T>) => this.on(handler);
    return changesOf({ on, keyOf: this.#keys.object, ended: this.#ended.signal }, signal);
  }
  [Symbol.asyncIterator](): AsyncIterator<ObjectChange<T>> {
    return this.changes()[Symbol.asyncIterator]();
  }
  /** Nothing follows any more. */
  end(reason?: unknown): void {
    this.#ended.abort(reason);
  }

  failed(error: unknown): void {
    for (const handler of this.#handlers) this.#call(() => handler.error?.(error));
  }
  refused(error: unknown): void {
    this.failed(error);
    this.#refuse(error);
    this.end(new Refused("the server refuses the question", { cause: error }));
  }
  restarted(): void {
    this.#seen = new Set();
  }
  part(objects: readonly CachedObject<T>[]): void {
    for (const held of objects) {
      this.#seen.add(this.#keys.held(held));
      this.#keep(held);
    }
  }
  listed(): void {
    for (const key of this.#store.keys()) if (!this.#seen.has(key)) this.#drop(key);
    this.#seen = new Set();
    this.#isSynced = true;
    this.#sync();
  }
  before(held: CachedObject<T>): CachedObject<T> | undefined {
    return this.#store.held(this.#keys.held(held));
  }
  changed(type: "ADDED" | "MODIFIED" | "DELETED", held: CachedObject<T>): void {
    if (type === "DELETED") this.#drop(this.#keys.held(held), held);
    else this.#keep(held);
  }

  #keep(held: CachedObject<T>): void {
    const key = this.#keys.held(held);
    const known = this.#store.held(key);
    if (known?.revision === held.revision && known !== undefined) return;
    const object = this.#prepare(held.object());
    let old = known?.object();
    // Deleted and recreated while the watch was down: handlers must see both.
    if (old !== undefined && old.metadata.uid !== object.metadata.uid) {
      this.#drop(key);
      old = undefined;
    }
    this.#store.put(held, object, old);
    const before = old;
    for (const handler of this.#handlers) {
      this.#call(() => (before === undefined ? handler.add?.(object) : handler.update?.(object, before)));
    }
  }
  #drop(key: string, last?: CachedObject<T>): void {
    const old = this.#store.remove(key);
    if (old === undefined) return;
    const object = last === undefined ? old : this.#prepare(last.object());
    for (const handler of this.#handlers) this.#call(() => handler.delete?.(object));
  }
  /** A handler that fails must not affect the others. */
  #call(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log.error("a handler of changes failed", { resource: this.address.resource, error });
    }
  }
}
