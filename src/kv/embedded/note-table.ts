/** The notes of an embedded store, by the revisions of their writes. They are written and removed in the commits of `Disk`. */

import { KvError } from "../contract.ts";
import {
  decodeNote,
  decodeNotedState,
  decodeRevision,
  encodeRevision,
  type NotedState,
  type NoteRecord,
} from "./records.ts";
import { notedKey, type Table, type Tables } from "./tables.ts";

export class NoteTable {
  readonly #path: string;
  /** After a failed commit they are others, or cannot be read. */
  readonly #tables: () => Tables;

  constructor(path: string, tables: () => Tables) {
    this.#path = path;
    this.#tables = tables;
  }

  get table(): Table {
    const { notes } = this.#tables();
    if (notes === undefined) throw new KvError("damaged", `the notes of ${this.#path} are missing`);
    return notes;
  }

  /** Undefined: no history was ever kept, or it is not known which. */
  state(): NotedState | undefined {
    const found = this.#tables().meta.get(notedKey);
    return found && decodeNotedState(found);
  }

  has(revision: bigint): boolean {
    return this.#tables().notes?.doesExist(encodeRevision(revision)) ?? false;
  }

  get(revision: bigint): NoteRecord | undefined {
    const bytes = this.table.get(encodeRevision(revision));
    return bytes && decodeNote(bytes, revision);
  }

  /** The newest note at the revision or before; undefined: there is none. */
  upTo(revision: bigint): NoteRecord | undefined {
    return this.downFrom(revision, 1)[0];
  }

  /** The oldest note at the revision or after; undefined: there is none. */
  from(revision: bigint): NoteRecord | undefined {
    for (const { key, value } of this.table.getRange({ start: encodeRevision(revision), limit: 1 }))
      return decodeNote(value, decodeRevision(key));
    return undefined;
  }

  /** Notes from the revision down, newest first. */
  downFrom(revision: bigint, limit: number): NoteRecord[] {
    const start = encodeRevision(revision);
    return [...this.table.getRange({ start, reverse: true, limit })].map(({ key, value }) =>
      decodeNote(value, decodeRevision(key)),
    );
  }

  /** Notes from the revision up, oldest first. */
  upFrom(revision: bigint, limit: number): NoteRecord[] {
    return [...this.table.getRange({ start: encodeRevision(revision), limit })].map(({ key, value }) =>
      decodeNote(value, decodeRevision(key)),
    );
  }

  /** Notes from the revision up without those that are damaged, and where the next page begins; absent: there is none. */
  readableFrom(
    revision: bigint,
    limit: number,
    onDamaged: (revision: bigint, error: KvError) => void,
  ): { readonly notes: readonly NoteRecord[]; readonly resume?: bigint } {
    const notes: NoteRecord[] = [];
    let count = 0;
    let at = revision;
    for (const { key, value } of this.table.getRange({ start: encodeRevision(revision), limit })) {
      count += 1;
      at = decodeRevision(key);
      try {
        notes.push(decodeNote(value, at));
      } catch (error) {
        if (!(error instanceof KvError)) throw error;
        onDamaged(at, error);
      }
    }
    return { notes, ...(count === limit && { resume: at + 1n }) };
  }

  /** The revisions of the oldest notes up to a revision. */
  oldest(through: bigint, limit: number): bigint[] {
    return [...this.table.getKeys({ end: encodeRevision(through + 1n), limit })].map(decodeRevision);
  }
}
