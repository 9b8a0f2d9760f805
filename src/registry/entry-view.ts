/** An entry in another version than the stored one, for callers that know its kind. */

import type { Steps } from "../base/time-slice.ts";
import { deepFreeze, freezeInSteps } from "../machinery/json/json-value.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { convert, convertInSteps, convertNow } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Entry } from "./contract/entry.ts";

/** The entry itself where `kind` is the stored version, as for nearly all kinds. */
export function viewAs<T extends ApiObject>(entry: Entry, kind: BoundKind<T>): Entry<T> {
  const { version } = entry;
  // One declaration gave the kind its type and the family its stored version.
  return (kind as BoundKind) === version ? (entry as Entry<T>) : new EntryView(entry, kind);
}

/** The object of the entry in the version of `kind`, converted in this process or by a webhook. */
export async function readAs<T extends ApiObject>(entry: Entry, kind: BoundKind<T>): Promise<T> {
  if (kind.family.conversion.isImmediate) return viewAs(entry, kind).object();
  const object = await convert(entry.object(), entry.version, kind as BoundKind);
  return object as T; // of that kind now
}

class EntryView<T extends ApiObject> implements Entry<T> {
  readonly #entry: Entry;
  readonly #kind: BoundKind<T>;

  constructor(entry: Entry, kind: BoundKind<T>) {
    this.#entry = entry;
    this.#kind = kind;
  }

  get family(): Family {
    return this.#entry.family;
  }
  get version(): BoundKind {
    return this.#entry.version;
  }
  get namespace(): string {
    return this.#entry.namespace;
  }
  get name(): string {
    return this.#entry.name;
  }
  get revision(): bigint {
    return this.#entry.revision;
  }
  get bytes(): Buffer {
    return this.#entry.bytes;
  }
  get length(): number {
    return this.#entry.length;
  }
  get itemOffset(): number {
    return this.#entry.itemOffset;
  }
  get labels(): ReadonlyMap<string, string> {
    return this.#entry.labels;
  }
  get fields(): ReadonlyMap<string, string> {
    return this.#entry.fields;
  }

  copyTo(target: Buffer, at: number, start: number): number {
    return this.#entry.copyTo(target, at, start);
  }

  *load(): Steps<T> {
    const kind: BoundKind = this.#kind;
    const name = `object ${kind.apiVersion}`;
    const known = this.#entry.remembered<T>(name);
    if (known !== undefined) return known;
    const stored = yield* this.#entry.load();
    yield;
    const made = yield* freezeInSteps(yield* convertInSteps(stored, this.#entry.version, kind));
    return this.#entry.representation(name, () => made) as T; // of that kind now
  }

  object(): T {
    const kind: BoundKind = this.#kind;
    const make = (entry: Entry) => deepFreeze(convertNow(entry.object(), entry.version, kind));
    return this.#entry.representation(`object ${kind.apiVersion}`, make) as T; // of that kind now
  }

  remembered<R>(name: string): R | undefined {
    return this.#entry.remembered(name);
  }

  representation<R>(name: string, make: (entry: Entry) => R): R {
    return this.#entry.representation(name, make);
  }
}
