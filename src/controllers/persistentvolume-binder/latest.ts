/** Objects as they are after our own writes, until the informer has seen them: decisions must not be made on older ones. */

import type { AnyObject } from "../../client/contract.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";

export class Latest<T extends AnyObject> {
  readonly #informer: Informer<T>;
  readonly #written = new Map<string, T>();

  constructor(informer: Informer<T>) {
    this.#informer = informer;
    informer.on({ delete: (object) => void this.#written.delete(keyOf(object)) });
  }
  wrote(object: T): void {
    this.#written.set(keyOf(object), object);
  }
  get(key: string): T | undefined {
    const seen = this.#informer.get(key);
    const written = this.#written.get(key);
    if (written === undefined || seen === undefined) return seen ?? written;
    if (BigInt(seen.metadata.resourceVersion ?? 0) < BigInt(written.metadata.resourceVersion ?? 0)) return written;
    this.#written.delete(key);
    return seen;
  }
  list(): readonly T[] {
    return this.#informer.list().map((object) => this.get(keyOf(object)) ?? object);
  }
}
