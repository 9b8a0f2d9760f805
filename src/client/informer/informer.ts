/** An informer: a store that a reflector keeps up to date, and the handlers that hear of it. */

import type { Log } from "../../base/log.ts";
import type { AnyObject, ResourceAddress } from "../contract.ts";
import type { Handler, Index, Informer } from "./contract.ts";
import { keyOf } from "./keys.ts";
import type { Receiver } from "./reflector.ts";
import { Store } from "./store.ts";

export class StoreInformer<T extends AnyObject> implements Informer<T>, Receiver<T> {
  readonly address: ResourceAddress;
  readonly synced: Promise<void>;
  readonly #store = new Store<T>();
  readonly #handlers = new Set<Handler<T>>();
  readonly #log: Log;
  readonly #prepare: (object: T) => T;
  #seen = new Set<string>();
  #isSynced = false;
  #sync = () => {};

  /** `prepare` sees every object before it is kept: tests freeze them. */
  constructor(address: ResourceAddress, log: Log, prepare: (object: T) => T = (object) => object) {
    this.address = address;
    this.#log = log;
    this.#prepare = prepare;
    this.synced = new Promise((resolve) => {
      this.#sync = resolve;
    });
  }

  hasSynced(): boolean {
    return this.#isSynced;
  }
  get(key: string): T | undefined {
    return this.#store.get(key);
  }
  list(namespace?: string): readonly T[] {
    return this.#store.list(namespace);
  }
  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T> {
    return this.#store.index(name, valuesOf);
  }
  on(handler: Handler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#call(() => handler.add?.(object));
    return () => this.#handlers.delete(handler);
  }

  restarted(): void {
    this.#seen = new Set();
  }
  part(objects: readonly T[]): void {
    for (const object of objects) {
      this.#seen.add(keyOf(object));
      this.#keep(object);
    }
  }
  listed(): void {
    for (const key of this.#store.keys()) if (!this.#seen.has(key)) this.#drop(key);
    this.#seen = new Set();
    this.#isSynced = true;
    this.#sync();
  }
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void {
    if (type === "DELETED") this.#drop(keyOf(object), object);
    else this.#keep(object);
  }

  #keep(given: T): void {
    const object = this.#prepare(given);
    const key = keyOf(object);
    const known = this.#store.get(key);
    if (known?.metadata.resourceVersion === object.metadata.resourceVersion && known !== undefined) return;
    // Deleted and made again while the watch was down: both must be heard.
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) this.#drop(key);
    const old = this.#store.put(object);
    for (const handler of this.#handlers) {
      this.#call(() => (old === undefined ? handler.add?.(object) : handler.update?.(object, old)));
    }
  }
  #drop(key: string, last?: T): void {
    const old = this.#store.remove(key);
    if (old === undefined) return;
    const object = last === undefined ? old : this.#prepare(last);
    for (const handler of this.#handlers) this.#call(() => handler.delete?.(object));
  }
  /** One handler that fails must not keep the others from hearing. */
  #call(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log.error("a handler of changes failed", { resource: this.address.resource, error });
    }
  }
}
