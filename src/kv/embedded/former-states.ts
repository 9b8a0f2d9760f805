/** The states that changes with notes have replaced, once no watch needs them: as differences to the state that replaced them. */

import { applyDifference, differenceOf } from "../../base/difference.ts";
import { LruMap } from "../../base/lru-map.ts";
import { KvError } from "../contract.ts";
import { decodeFormer, encodeFormer, encodeRevision, type FormerRecord, type WriteRecord } from "./records.ts";
import type { Segments } from "./segments.ts";
import type { Table, Tables } from "./tables.ts";

/** So many differences lie between a state and one that is whole, at most. */
export const differencesMax = 16;
/** A difference that is larger than this share of the state is not worth it. */
const worthwhile = 0.8;
/** States that were made of differences and are remembered, since the one before is often asked for next. */
const rememberedStatesMax = 256;
const rememberedBytesMax = 8 * 1024;
/** Of so many changes it is remembered how many differences lie below the state that they replaced; a power of two. */
const rememberedDepths = 65_536;

/** What an entry takes besides the contents, in the layout of records.ts. */
const overheadBytes = 48;

/** A state that goes from the log into the table of former states; what it takes is known, and where it stands is not. */
export type MovedState = Omit<FormerRecord, "movedBytes"> & {
  readonly key: string;
  /** How many bytes the history has more with it. */
  readonly takes: number;
  /** How many bytes were read for it. */
  readonly reads: number;
};

interface Surroundings {
  readonly known: bigint | undefined;
  log(revision: bigint): WriteRecord | undefined;
  next(revision: bigint): bigint | undefined;
}

export class FormerStates {
  /** After a failed commit they are others, or cannot be read. */
  readonly #tables: () => Tables;
  readonly #segments: Segments;
  #remembered = new LruMap<bigint, Uint8Array>(rememberedStatesMax);
  /** Otherwise each write would unpack a block of a segment, where the change before it may be. */
  readonly #depths = new RecentDepths();

  constructor(tables: () => Tables, segments: Segments) {
    this.#tables = tables;
    this.#segments = segments;
  }

  /** Undefined: no history was ever kept. */
  get table(): Table | undefined {
    return this.#tables().former;
  }

  /** The state that a change of the key replaced; undefined: it is in the log, or nowhere. */
  get(key: string, replacedBy: bigint): FormerRecord | undefined {
    if (replacedBy <= this.#segments.through) return this.#segments.change(key, replacedBy)?.former;
    return this.unpacked(replacedBy);
  }

  /** The same, if it is not in a segment only. */
  unpacked(replacedBy: bigint): FormerRecord | undefined {
    const bytes = this.table?.get(encodeRevision(replacedBy));
    return bytes && decodeFormer(bytes, replacedBy);
  }

  /** States may have other values now. */
  forgetRead(): void {
    this.#remembered = new LruMap(rememberedStatesMax);
  }

  count(): number {
    return this.table?.getKeysCount() ?? 0;
  }

  /** How many bytes all moves up to a change have taken, those before the history included; undefined: there was none. */
  movedUpTo(revision: bigint): number | undefined {
    const found = this.table?.getRange({ start: encodeRevision(revision), reverse: true, limit: 1 });
    for (const { key, value } of found ?? []) return decodeFormer(value, key.readBigUInt64BE(0)).movedBytes;
    return undefined;
  }

  put(record: FormerRecord): void {
    this.table?.put(encodeRevision(record.replacedBy), encodeFormer(record));
  }

  remove(replacedBy: bigint): void {
    this.table?.remove(encodeRevision(replacedBy));
  }

  /**
   * The state of a key at the revision of its write. `next` tells the revision of the key's next write, which may be known already, and
   * `log` what is in the log. Undefined: it is nowhere.
   */
  read(key: string, revision: bigint, { known, log, next }: Surroundings): WriteRecord | undefined {
    const differences: FormerRecord[] = [];
    let value: Uint8Array | undefined;
    for (let at = revision; value === undefined; ) {
      const replacedBy = at === revision && known !== undefined ? known : next(at);
      const found = replacedBy === undefined ? undefined : this.get(key, replacedBy);
      if (found === undefined || found.revision !== at) return undefined;
      differences.push(found);
      if (!found.isDifference) break;
      at = found.replacedBy;
      value = this.#remembered.get(at) ?? log(at)?.value;
    }
    for (const { isDifference, contents, revision: at } of differences.reverse()) {
      value = isDifference ? applied(value!, contents, at) : contents;
      if (value.length <= rememberedBytesMax) this.#remembered.set(at, value);
    }
    const { created, previous } = differences.at(-1)!;
    return { key, revision, value, created, previous };
  }

  /** What becomes of the state that a change with a note replaced. Both are in the log. */
  moved(change: WriteRecord, { key, revision, value, created, previous }: WriteRecord): MovedState {
    const reads = value!.length + (change.value?.length ?? 0);
    const state = { key, replacedBy: change.revision, revision, created, previous, reads };
    const whole = { ...state, isDifference: false, depth: 0, contents: value!, takes: value!.length + overheadBytes };
    const depth = (this.#depths.of(revision) ?? this.get(key, revision)?.depth ?? 0) + 1;
    this.#depths.set(change.revision, 0);
    if (change.value === undefined || depth > differencesMax) return whole;
    const contents = differenceOf(change.value, value!);
    if (contents.length > value!.length * worthwhile) return whole;
    this.#depths.set(change.revision, depth);
    return { ...state, isDifference: true, depth, contents, takes: contents.length + overheadBytes };
  }
}

/** By revisions of changes; the place of one is taken over by later ones. */
class RecentDepths {
  #revisions: BigInt64Array | undefined;
  #depths: Uint8Array | undefined;

  of(revision: bigint): number | undefined {
    const at = Number(revision) & (rememberedDepths - 1);
    return this.#revisions?.[at] === revision ? this.#depths![at] : undefined;
  }

  set(revision: bigint, depth: number): void {
    this.#revisions ??= new BigInt64Array(rememberedDepths);
    this.#depths ??= new Uint8Array(rememberedDepths);
    const at = Number(revision) & (rememberedDepths - 1);
    this.#revisions[at] = revision;
    this.#depths[at] = depth;
  }
}

function applied(base: Uint8Array, difference: Uint8Array, revision: bigint): Uint8Array {
  try {
    return applyDifference(base, difference);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new KvError("damaged", `the state of revision ${revision} is damaged: ${error.message}`);
  }
}
