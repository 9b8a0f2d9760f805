/** A transaction: the registry's own verbs over a store that holds every write back until all of them are stored at once. */

import { createKeyedMutex } from "../base/keyed-mutex.ts";
import { createMemoryBudget, Suspended } from "../base/memory-budget.ts";
import { commitBytesMax, commitWritesMax, type Kv, type KvWrite, RevisionConflict } from "../kv/contract.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { convertNow, versionIn } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { badRequest, StatusError, tooLarge } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { CommitOutcome, Staged, Transaction } from "./contract/transaction.ts";
import { keyOf } from "./keys.ts";
import type { RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";

/** A write that waits for the commit. */
interface HeldWrite extends KvWrite {
  resolve(revision: bigint): void;
  reject(error: unknown): void;
}

export class Staging implements Transaction {
  /** What the verbs use: as those of the registry, over the store that holds back. */
  readonly services: RegistryServices;
  readonly #store: Kv;
  readonly #writes = new Map<string, HeldWrite>();
  readonly #expected = new Map<string, KvWrite>();
  /** What the writes leave, by the keys of the objects. Undefined: the object is removed. */
  readonly #left = new Map<string, StoredEntry | undefined>();
  #bytes = 0;
  #replaced = 0n;
  #onStaged: () => void = () => {};
  /** Nothing is held back any more. */
  #isOver = false;
  #isBegunAgain = false;

  constructor(services: RegistryServices) {
    const { kv } = services;
    this.#store = kv;
    this.services = {
      ...services,
      kv: this.#holdingBack(kv),
      staging: this,
      // Its writes wait for each other until the commit, so what others wait for must not be held: the bytes are bounded here.
      mutex: createKeyedMutex(),
      budget: createMemoryBudget(Number.POSITIVE_INFINITY),
      suspended: new Suspended(Number.POSITIVE_INFINITY),
    };
  }

  #holdingBack(kv: Kv): Kv {
    const refuse = async (): Promise<never> => {
      throw new Error("a transaction does not read the store itself");
    };
    const { newest } = kv;
    return {
      revision: () => kv.revision(),
      ...(newest !== undefined && { newest: () => newest.call(kv) }),
      put: (key, value, expected, note) => this.#hold({ key, value, expected, note }),
      delete: (key, expected, note) => this.#hold({ key, expected, note }),
      get: refuse,
      range: refuse,
      commit: refuse,
      compact: refuse,
      close: refuse,
      watch: () => {
        throw new Error("a transaction does not watch the store");
      },
    };
  }

  get size(): number {
    return this.#writes.size;
  }

  get replaced(): bigint {
    return this.#replaced;
  }

  staged(): Promise<void> {
    return new Promise((resolve) => {
      this.#onStaged = resolve;
    });
  }

  #hold(write: KvWrite): Promise<bigint> {
    const { key, value, expected } = write;
    if (this.#isOver) {
      this.#isBegunAgain = true;
      return Promise.reject(notStored());
    }
    if (this.#writes.has(key)) return Promise.reject(badRequest("a transaction can change an object only once"));
    const noted = this.#expected.get(key)?.expected;
    if (noted !== undefined && noted !== expected) {
      // It was changed since it was found as expected: everything begins again.
      this.#isBegunAgain = true;
      return Promise.reject(notStored());
    }
    this.#bytes += Buffer.byteLength(key) + (value?.byteLength ?? 0);
    if (this.#bytes > commitBytesMax || this.#writes.size >= commitWritesMax)
      return Promise.reject(
        tooLarge(`a transaction can store ${commitWritesMax} objects of together ${commitBytesMax} bytes`),
      );
    return new Promise((resolve, reject) => {
      this.#writes.set(key, { ...write, resolve, reject });
      this.#replaced = expected;
      this.#onStaged();
    });
  }

  /** Notes what a write leaves of an object, before it is stored. Undefined: the object is removed. */
  leave(family: Family, ref: ObjectRef, entry: StoredEntry | undefined): void {
    this.#left.set(keyOf(family, ref), entry);
  }

  expect(family: Family, ref: ObjectRef, revision: bigint): void {
    const key = keyOf(family, ref);
    this.#expected.set(key, { key, expected: revision, keeps: true });
  }

  find<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Staged<T> | undefined {
    const { family } = kind;
    const key = keyOf(family, ref);
    const entry = this.#left.get(key);
    if (entry === undefined) return this.#left.has(key) ? { object: undefined } : undefined;
    const version = versionIn(family, entry.version);
    // What a webhook would have to convert is seen once it is stored.
    if (version !== kind && !family.conversion.isImmediate) return undefined;
    return { object: deepFreeze(convertNow(entry.object(), version, kind)) as T }; // of that very kind
  }

  async commit(): Promise<CommitOutcome> {
    this.#isOver = true;
    const writes = [...this.#writes.values()];
    const others = [...this.#expected.values()].filter(({ key }) => !this.#writes.has(key));
    try {
      const plain = writes.map(({ key, value, expected, note }) => ({ key, value, expected, note }));
      const revisions = await this.#store.commit([...plain, ...others]);
      for (const [at, { resolve }] of writes.entries()) resolve(revisions[at]!);
      return "stored";
    } catch (error) {
      if (!(error instanceof RevisionConflict)) {
        for (const { reject } of writes) reject(error);
        return writes.length === 0 ? translateKvErrors(error) : { refused: 0 };
      }
      // The write in conflict learns it as if it had been alone: it refuses, or reads again. The others learn that nothing is stored.
      const inConflict = this.#writes.get(error.key);
      for (const { reject } of writes) if (reject !== inConflict?.reject) reject(notStored());
      inConflict?.reject(error);
      return inConflict === undefined ? "moved" : { refused: writes.indexOf(inConflict) };
    }
  }

  get isBegunAgain(): boolean {
    return this.#isBegunAgain;
  }

  abandon(): void {
    this.#isOver = true;
    for (const { reject } of this.#writes.values()) reject(notStored());
  }
}

const notStored = (): StatusError =>
  new StatusError("Conflict", "nothing was stored, because another operation of the transaction failed");
