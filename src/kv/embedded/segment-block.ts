/** A block of a segment: changes by key and revision in columns, because what is alike compresses better together. */

import { applyDifference, differenceOf } from "../../base/difference.ts";
import { KvError } from "../contract.ts";
import { NotesReader, NotesWriter } from "./packed-notes.ts";
import type { FormerRecord, NoteRecord } from "./records.ts";
import { BytesReader, BytesWriter, compress, decompress } from "./segment-bytes.ts";
import { joinDifference, splitDifference } from "./split-difference.ts";

/** A change of a segment, and the state that it replaced. */
export interface SegmentChange {
  readonly note: NoteRecord;
  /** Undefined: it replaced none. */
  readonly former: FormerRecord | undefined;
}

/** The changes from one revision to the other, both included, and the times of the first and the last. */
export interface SegmentSpan {
  readonly first: bigint;
  readonly last: bigint;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

const isDeleted = 1;
const hasFormer = 2;
const isDifference = 4;
/** The change of the same key that stands before it is the one before it. */
const followsChange = 8;
/** The state is of the same object as that of the change before. */
const sameObject = 16;
const sameKey = 32;
/** The state is whole, and written as its difference to the newest one before it in the block that is written as it is. */
const isLikeSample = 64;

/** A whole state that shares less than this with another one is written as it is. */
const alike = 0.5;

/** Columns of a block in their order, before the notes. */
const columnNames = [
  "flags",
  "keys",
  "revisions",
  "previous",
  "times",
  "depths",
  "created",
  "stepBytes",
  "stateBytes",
  "steps",
  "states",
] as const;
type Columns<Column> = Record<(typeof columnNames)[number], Column>;

const columnsOf = <Column>(make: () => Column): Columns<Column> =>
  Object.fromEntries(columnNames.map((name) => [name, make()])) as Columns<Column>;

/** Takes the changes by key, and those of each key by revision. */
export class BlockWriter {
  readonly #span: SegmentSpan;
  readonly #columns = columnsOf(() => new BytesWriter());
  readonly #notes = new NotesWriter();
  #count = 0;
  #bytes = 0;
  #key = "";
  #revision: bigint;
  #created = 0n;
  /** Whole states of other objects are often like it. */
  #sample: Uint8Array | undefined;

  constructor(span: SegmentSpan) {
    this.#span = span;
    this.#revision = span.first;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Of what was added. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ note, former }: SegmentChange): void {
    const { flags, keys, revisions, previous: previousColumn, times } = this.#columns;
    const { key, revision, previous } = note;
    const isSameKey = key === this.#key;
    const follows = isSameKey && previous === this.#revision;
    const isSame = isSameKey && former !== undefined && former.created === this.#created;
    const asSample = former === undefined || former.isDifference ? undefined : this.#likeSample(former.contents);
    flags.byte(
      (note.deleted ? isDeleted : 0) |
        (former === undefined ? 0 : hasFormer) |
        (former?.isDifference === true ? isDifference : 0) |
        (follows ? followsChange : 0) |
        (isSame ? sameObject : 0) |
        (isSameKey ? sameKey : 0) |
        (asSample === undefined ? 0 : isLikeSample),
    );
    if (!isSameKey) keys.keyAfter(this.#key, key);
    revisions.number(Number(revision - (isSameKey ? this.#revision : this.#span.first)));
    if (!follows) previousColumn.number(previous === 0n ? 0 : Number(revision - previous));
    this.#key = key;
    this.#revision = revision;
    times.signed(Math.floor(note.atMs) - expectedAt(this.#span, revision));
    this.#notes.add(note.note);
    this.#count += 1;
    this.#bytes += note.note.length + key.length;
    if (former !== undefined) this.#addState(former, { isSame, previous, asSample });
  }

  #addState(
    { contents, created, depth, isDifference: isOne }: FormerRecord,
    of: { readonly isSame: boolean; readonly previous: bigint; readonly asSample: Uint8Array | undefined },
  ): void {
    const { depths, created: createdColumn, stepBytes, stateBytes, steps, states } = this.#columns;
    this.#bytes += contents.length;
    depths.byte(depth);
    if (!of.isSame) createdColumn.number(Number(of.previous - created));
    this.#created = created;
    const before = { steps: steps.length, states: states.length };
    const difference = isOne ? contents : of.asSample;
    if (difference === undefined) states.bytes(contents);
    else {
      splitDifference(difference, steps, states);
      stepBytes.number(steps.length - before.steps);
    }
    stateBytes.number(states.length - before.states);
  }

  #likeSample(contents: Uint8Array): Uint8Array | undefined {
    const difference = this.#sample && differenceOf(this.#sample, contents);
    if (difference !== undefined && difference.length < contents.length * alike) return difference;
    this.#sample = contents;
    return undefined;
  }

  finish(): Buffer {
    const { texts, places, ids } = this.#notes.take();
    const parts = [...columnNames.map((name) => this.#columns[name].take()), texts, places];
    const begin = new BytesWriter(64);
    begin.number(this.#count);
    for (const part of parts) begin.number(part.length);
    const length = new BytesWriter(8);
    length.number(ids.length);
    return Buffer.concat([length.take(), ids, compress(Buffer.concat([begin.take(), ...parts]))]);
  }
}

/** The changes of a block, by key and revision. What had been counted up to each is not in it, so it is that of the whole segment. */
export function readBlock(bytes: Uint8Array, head: SegmentSpan & Counted): SegmentChange[] {
  const { count, columns, notes } = openBlock(bytes);
  const { flags, keys, revisions, previous: previousColumn, times } = columns;
  const states = new StatesReader(columns, head.movedBytes);
  const changes: SegmentChange[] = [];
  let key = "";
  let revision = head.first;
  for (let left = count; left > 0; left -= 1) {
    const flag = flags.byte();
    if ((flag & sameKey) === 0) {
      key = keys.keyAfter(key);
      revision = head.first;
    }
    const before = revision;
    revision += BigInt(revisions.number());
    const previous = (flag & followsChange) !== 0 ? before : back(revision, previousColumn.number());
    const note = new PackedNote(
      {
        key,
        revision,
        previous,
        deleted: (flag & isDeleted) !== 0,
        atMs: expectedAt(head, revision) + times.signed(),
        totalBytes: head.totalBytes,
      },
      notes.next(),
    );
    changes.push({ note, former: (flag & hasFormer) === 0 ? undefined : states.next(flag, note) });
  }
  return changes;
}

/** What the store had counted up to the end of the segment. */
interface Counted {
  readonly totalBytes: number;
  readonly movedBytes: number;
}

function openBlock(bytes: Uint8Array) {
  const outer = new BytesReader(bytes);
  const ids = new BytesReader(outer.bytes(outer.number()));
  const raw = decompress(outer.rest());
  const begin = new BytesReader(raw);
  const count = begin.number();
  const lengths = [...columnNames, "texts", "places"].map(() => begin.number());
  let at = begin.at;
  const parts = lengths.map((length) => {
    at += length;
    return new BytesReader(raw.subarray(at - length, at));
  });
  let next = 0;
  const columns = columnsOf(() => parts[next++]!);
  const [texts, places] = [parts[next]!, parts[next + 1]!];
  return { count, columns, notes: new NotesReader({ texts, places, ids }) };
}

/** Reads the states in the order in which they were written. */
class StatesReader {
  readonly #columns: Columns<BytesReader>;
  readonly #movedBytes: number;
  #created = 0n;
  #sample: PackedState | undefined;

  constructor(columns: Columns<BytesReader>, movedBytes: number) {
    this.#columns = columns;
    this.#movedBytes = movedBytes;
  }

  next(flag: number, { revision: replacedBy, previous }: NoteRecord): FormerRecord {
    const { depths, created, stepBytes, stateBytes, steps, states } = this.#columns;
    const depth = depths.byte();
    if ((flag & sameObject) === 0) this.#created = previous - BigInt(created.number());
    const isOne = (flag & isDifference) !== 0;
    const isSplit = isOne || (flag & isLikeSample) !== 0;
    const parts = {
      replacedBy,
      revision: previous,
      created: this.#created,
      isDifference: isOne,
      depth,
      movedBytes: this.#movedBytes,
      steps: isSplit ? steps.bytes(stepBytes.number()) : undefined,
      states: states.bytes(stateBytes.number()),
      sample: isSplit && !isOne ? this.#sample : undefined,
    };
    const state = new PackedState(parts);
    if (!isSplit) this.#sample = state;
    return state;
  }
}

/** Where time has come at a revision if all of them took equally long. */
const expectedAt = ({ first, last, firstAtMs, lastAtMs }: SegmentSpan, revision: bigint): number =>
  last === first
    ? Math.floor(firstAtMs)
    : Math.floor(firstAtMs + ((lastAtMs - firstAtMs) * Number(revision - first)) / Number(last - first));

const back = (revision: bigint, by: number): bigint => (by === 0 ? 0n : revision - BigInt(by));

/** Makes the note when it is first asked for: most of a block are never read. */
class PackedNote implements NoteRecord {
  readonly key: string;
  readonly revision: bigint;
  readonly previous: bigint;
  readonly deleted: boolean;
  readonly atMs: number;
  readonly totalBytes: number;
  readonly #make: () => Uint8Array;

  constructor(
    { key, revision, previous, deleted, atMs, totalBytes }: Omit<NoteRecord, "note">,
    make: () => Uint8Array,
  ) {
    this.key = key;
    this.revision = revision;
    this.previous = previous;
    this.deleted = deleted;
    this.atMs = atMs;
    this.totalBytes = totalBytes;
    this.#make = make;
  }

  get note(): Uint8Array {
    return this.#make();
  }
}

type StateParts = Omit<FormerRecord, "contents" | "previous"> & {
  /** Undefined: the state is as it was written. */
  readonly steps: Uint8Array | undefined;
  readonly states: Uint8Array;
  /** What it is a difference to, if it is whole. */
  readonly sample: PackedState | undefined;
};

/** Decodes the contents of a state when they are asked for. */
class PackedState implements FormerRecord {
  readonly replacedBy: bigint;
  readonly revision: bigint;
  readonly created: bigint;
  /** Nothing asks for it: the change of that revision has it. */
  readonly previous = 0n;
  readonly isDifference: boolean;
  readonly depth: number;
  readonly movedBytes: number;
  readonly #parts: StateParts;

  constructor(parts: StateParts) {
    this.replacedBy = parts.replacedBy;
    this.revision = parts.revision;
    this.created = parts.created;
    this.isDifference = parts.isDifference;
    this.depth = parts.depth;
    this.movedBytes = parts.movedBytes;
    this.#parts = parts;
  }

  get contents(): Uint8Array {
    const { steps, states, sample } = this.#parts;
    if (steps === undefined) return states;
    const difference = joinDifference(steps, states);
    if (this.isDifference) return difference;
    try {
      if (sample !== undefined) return applyDifference(sample.contents, difference);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    throw new KvError("damaged", `the state of revision ${this.revision} is damaged`);
  }
}
