/** Remembers which keys were written last, so that most writes are decided without a look at the disk. */

import type { KvError } from "../contract.ts";
import type { WriteRecord } from "./records.ts";

/** What a write is compared with. As in KvEntry, without the value. */
export interface KeyState {
  readonly revision: bigint;
  readonly created: bigint;
  /** What was stored is damaged, so it cannot be replaced; `created` is a guess. */
  readonly damage?: KvError;
}

/** A generation ends after this many keys; the one before it is still known then. */
const generationKeys = 4_096;

export class LatestWrites {
  /** Undefined: the key is known to be absent. */
  #young = new Map<string, KeyState | undefined>();
  #old: ReadonlyMap<string, KeyState | undefined> = new Map();

  /** The state of the key on disk, from `read` if the key has not been written lately. */
  get(key: string, read: (key: string) => KeyState | undefined): KeyState | undefined {
    const generation = this.#young.has(key) ? this.#young : this.#old;
    return generation.has(key) ? generation.get(key) : read(key);
  }

  /** Called when the records are on disk. */
  remember(records: readonly WriteRecord[]): void {
    for (const { key, revision, created, value } of records) {
      this.#young.set(key, value && { revision, created });
      if (this.#young.size < generationKeys) continue;
      this.#old = this.#young;
      this.#young = new Map();
    }
  }
}
