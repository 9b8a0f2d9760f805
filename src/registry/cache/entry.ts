/** An object as it is kept in the cache: bytes ready to be sent, and just enough data to select it. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { atOnceBytesMax, type Steps } from "../../base/time-slice.ts";
import {
  cutSetMark,
  decodeAroundSets,
  decodeStoredObject,
  storedObjectSteps,
} from "../../machinery/apply/read-stored.ts";
import { decodeStoredText } from "../../machinery/json/json.ts";
import { deepFreeze, freezeInSteps } from "../../machinery/json/json-value.ts";
import type { Printed } from "../../machinery/json/printed-spec.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import { recognizeFinals } from "../../machinery/schema/final-places.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../contract/entry.ts";
import { pathOf, refOf } from "../keys.ts";
import type { Layout } from "./layout.ts";
import { keepBytes, ObjectBytes } from "./object-bytes.ts";
import { type RecentObject, RecentObjects } from "./recent-objects.ts";
import type { RepresentationCache } from "./representation-cache.ts";

/** What selectors read. `values` holds the selectable fields in the order of the layout's `paths`. */
export interface SelectableAttributes {
  readonly labels: ReadonlyMap<string, string>;
  readonly values: readonly string[];
}

/** The object under its changed schema, computed when it is read. */
interface LateBody {
  /** The entry whose stored bytes are those of this one. */
  readonly source: StoredEntry;
  read(): LateRead;
}

export interface LateRead {
  readonly body: Uint8Array;
  /** As in StoredEntry. */
  readonly origin: Uint8Array | undefined;
  readonly lacksDefaults: boolean;
  /** Whether defaults have made it so much larger that it is computed again for later readers instead of kept. */
  readonly isGrown: boolean;
}

const recentObjects = new RecentObjects();

export class StoredEntry implements Entry {
  readonly layout: Layout;
  readonly namespace: string;
  readonly name: string;
  readonly revision: bigint;
  /** The size of the object for accounting. The bytes of an object that is read late may differ a little. */
  readonly size: number;
  #bytes: Buffer | ObjectBytes | undefined;
  #late: LateBody | undefined;
  /** The bytes of an object that has grown, as long as someone uses them. */
  #grown: WeakRef<Buffer | ObjectBytes> | undefined;
  #lacksDefaults = false;
  readonly labels: ReadonlyMap<string, string>;
  /** Selectable fields in the order of `layout.paths`. */
  readonly values: readonly string[];
  /** The key that the stored form is encrypted with; "": it is stored in plain text. */
  readonly keyId: string;
  readonly #representationCache: RepresentationCache;
  /** The stored bytes, if they differ from those shown: of an earlier schema, or printed by another program. */
  #origin: Uint8Array | undefined;
  /**
   * Keeping all parsed objects would double the memory, so a caller that needs one for longer keeps it. One that is parsed a second
   * time, or is large, is held weakly. The others are not: a collection of young objects takes a weak reference for a strong one, so
   * what writes read once would become old and stay until a full collection.
   */
  #parsed: RecentObject | WeakRef<ApiObject> | undefined;
  /** Whether the large final values of the parsed object have been recognized. */
  #isLoaded = false;
  #representations: Map<string, unknown> | undefined;

  /** `body` is the stored JSON, which has no resourceVersion; 0n leaves it without one (nothing was stored). */
  constructor(
    layout: Layout,
    path: string,
    body: Uint8Array | LateBody,
    revision: bigint,
    attributes: SelectableAttributes,
    representationCache: RepresentationCache,
    keyId = "",
    origin?: Uint8Array,
  ) {
    const { namespace, name } = refOf(layout.family, path);
    this.layout = layout;
    this.namespace = layout.intern(namespace);
    this.name = name;
    this.revision = revision;
    if ("read" in body) {
      this.#late = body;
      this.size = body.source.size;
    } else {
      this.#bytes = withVersion(body, layout.versionAt, revision);
      this.size = this.#bytes.length;
    }
    this.labels = attributes.labels;
    this.values = attributes.values;
    this.keyId = keyId;
    this.#representationCache = representationCache;
    this.#origin = origin;
  }

  get bytes(): Buffer {
    const kept = this.#kept();
    return kept instanceof Uint8Array ? kept : kept.join();
  }

  /** As `bytes`, for a reader that keeps none of them: they may change with the next call for any entry. */
  #peek(): Buffer {
    const kept = this.#kept();
    return kept instanceof Uint8Array ? kept : kept.peek();
  }

  get length(): number {
    return this.#kept().length;
  }

  copyTo(target: Buffer, at: number, start: number): number {
    const kept = this.#kept();
    if (!(kept instanceof Uint8Array)) return kept.copyTo(target, at, start);
    target.set(kept.subarray(start), at);
    return at + kept.length - start;
  }

  #kept(): Buffer | ObjectBytes {
    return this.#bytes ?? this.#grown?.deref() ?? this.#readNow();
  }

  #readNow(): Buffer | ObjectBytes {
    const { body, origin, lacksDefaults, isGrown } = this.#late!.read(); // present as long as there are no bytes
    const bytes = withVersion(body, this.layout.versionAt, this.revision);
    this.#origin = origin;
    this.#lacksDefaults = lacksDefaults;
    if (isGrown) this.#grown = new WeakRef(bytes);
    else {
      this.#late = undefined;
      this.#bytes = bytes;
    }
    return bytes;
  }

  get lacksDefaults(): boolean {
    if (this.#late !== undefined && this.#grown === undefined) this.#readNow();
    return this.#lacksDefaults;
  }

  /** An entry that shows exactly what is stored, from which this one can be read again later. Undefined: there is none. */
  get source(): StoredEntry | undefined {
    if (this.#late !== undefined) return this.#late.source;
    return this.#origin === undefined ? this : undefined;
  }

  get family(): Family {
    return this.layout.family;
  }

  get version(): BoundKind {
    return this.layout.version;
  }

  /** Whether writing exactly what is shown would change what is stored. */
  get isStale(): boolean {
    if (this.#late !== undefined && this.#grown === undefined) this.#readNow();
    return this.#origin !== undefined || this.version !== this.family.stored;
  }

  /** What the store holds, in the clear. */
  get stored(): Uint8Array {
    if (this.#late !== undefined) return this.#late.source.stored;
    return this.#origin ?? this.#withoutVersion();
  }

  get itemOffset(): number {
    return this.layout.itemOffset;
  }

  get path(): string {
    return this.layout.family.namespaced ? `${this.namespace}/${this.name}` : this.name;
  }

  get fields(): ReadonlyMap<string, string> {
    const fields = new Map<string, string>([["metadata.name", this.name]]);
    if (this.layout.family.namespaced) fields.set("metadata.namespace", this.namespace);
    this.layout.paths.forEach((path, index) => {
      fields.set(path, this.values[index]!);
    });
    return fields;
  }

  /** One selectable field by path; undefined: no such field. */
  field(path: string): string | undefined {
    if (path === "metadata.name") return this.name;
    if (path === "metadata.namespace") return this.namespace;
    return this.values[this.layout.paths.indexOf(path)];
  }

  object(): ApiObject {
    const known = this.#known();
    if (known !== undefined) {
      if (checksCaches) checkAnswer("parsed objects", known, decodeStoredText(this.#peek().toString()));
      return known;
    }
    const around = this.#decodeAround();
    const decoded = around === undefined ? decodeStoredObject(this.#peek(), this.version.schema) : around.value;
    const object = decoded as ApiObject; // it was an object when it was written
    this.#keepParsed(deepFreeze(object), around?.spec);
    this.#isLoaded = false;
    return object;
  }

  /** The spec of the object that was just read, as it is stored. Undefined: that is not known. */
  get spec(): Printed | undefined {
    const parsed = this.#parsed;
    return parsed === undefined || parsed instanceof WeakRef ? undefined : parsed.spec;
  }

  /** Undefined: the object is too large for this, or shares no sets. */
  #decodeAround(): ReturnType<typeof decodeAroundSets> {
    const kept = this.#kept();
    const around = kept instanceof ObjectBytes ? kept.textAround(cutSetMark) : undefined;
    return around && decodeAroundSets(around.text, around.sets);
  }

  #known(): ApiObject | undefined {
    const parsed = this.#parsed;
    return parsed instanceof WeakRef ? parsed.deref() : parsed?.object;
  }

  #keepParsed(object: ApiObject, spec?: Printed): void {
    const kept = this.#parsed === undefined ? recentObjects.keep(object, spec, this.size) : undefined;
    this.#parsed = kept ?? new WeakRef(object);
  }

  /** Reads a large object in steps. */
  *load(): Steps<ApiObject> {
    if (this.size <= atOnceBytesMax) return this.object();
    const known = this.#known();
    if (known !== undefined && this.#isLoaded) return known;
    const parsed = known ?? (yield* storedObjectSteps(this.bytes, this.version.schema));
    yield;
    const object = (yield* recognizeFinals(this.version.schema, parsed)) as ApiObject; // as above
    yield;
    this.#keepParsed(yield* freezeInSteps(object));
    this.#isLoaded = true;
    return object;
  }

  representation<T>(name: string, make: (entry: Entry) => T): T {
    this.#representations ??= new Map();
    if (this.#representations.has(name)) {
      const known = this.#representations.get(name) as T; // a name always belongs to the same `make`
      if (checksCaches) checkAnswer(`representations: ${name}`, known, make(this));
      return known;
    }
    const made = make(this);
    this.#representations.set(name, made);
    this.#representationCache.remember(this.#representations, made);
    return made;
  }

  remembered<T>(name: string): T | undefined {
    return this.#representations?.get(name) as T | undefined; // the caller knows the type that belongs to the name
  }

  /** The state at a later revision: what a watcher gets for a deleted object. */
  at(revision: bigint): StoredEntry {
    const body = this.#withoutVersion();
    const path = pathOf(this.layout.family, this);
    return new StoredEntry(this.layout, path, body, revision, this, this.#representationCache, this.keyId);
  }

  /** In a buffer of its own. */
  #withoutVersion(): Buffer {
    const { bytes } = this;
    const start = this.layout.versionAt;
    const end = start + versionText(this.revision).length;
    const body = Buffer.allocUnsafeSlow(bytes.length - (end - start));
    bytes.copy(body, 0, 0, start);
    bytes.copy(body, start, end);
    return body;
  }
}

const versionText = (revision: bigint): string => (revision === 0n ? "" : `"resourceVersion":"${revision}",`);

const closingBrace = 0x7d;

function withVersion(body: Uint8Array, at: number, revision: bigint): Buffer | ObjectBytes {
  const text = versionText(revision);
  const version = body[at] === closingBrace ? text.slice(0, -1) : text;
  const bytes = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const kept = keepBytes(bytes, at, version);
  if (checksCaches) {
    const whole = Buffer.concat([bytes.subarray(0, at), Buffer.from(version), bytes.subarray(at)]);
    checkAnswer("bytes of objects", kept instanceof Uint8Array ? kept : kept.join(), whole);
  }
  return kept;
}
