/** The contract of a key-value store with revisions, in which the registry keeps its bytes. */

/** One key's state. `revision` is that of its last write, `created` that of the write which made it appear. */
export interface KvEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: bigint;
  readonly created: bigint;
  /** What was stored is damaged: `value` is empty, and `created` is a guess. Only a range that asks for `damaged` entries has such. */
  readonly damage?: KvError;
}

/**
 * One change. `value` is absent for a delete. A change does not carry what the key held before: a store would have to read that from disk.
 * Of a recent write of this process it is the very array that was given to `put`, so a reader may recognise its own writes.
 */
export interface KvChange {
  readonly key: string;
  readonly revision: bigint;
  readonly value?: Uint8Array;
  /** The next change is of the same commit. Known of recent changes only. */
  readonly isJoined?: boolean;
}

/**
 * What a watch yields: changes in revision order, and how far it has come. Everything up to and including `revision`
 * has been delivered, so an event without changes is a sign of progress only.
 */
export interface KvEvents {
  readonly changes: readonly KvChange[];
  readonly revision: bigint;
}

export interface KvRange {
  /** In key order (UTF-8 bytes). */
  readonly entries: readonly KvEntry[];
  /** The revision at which the range was read; all entries are of that one moment. */
  readonly revision: bigint;
  /** How many keys of the range follow the last entry returned. */
  readonly remaining: number;
}

/** One compare-and-swap of a commit: removes the key, unless it has a `value` or `keeps` what is there. */
export interface KvWrite {
  readonly key: string;
  /** The revision at which the key must be; 0n: absent. */
  readonly expected: bigint;
  readonly value?: Uint8Array | undefined;
  /** The key must be at `expected`, and is not written. */
  readonly keeps?: boolean;
  /** As for `put`. */
  readonly note?: Uint8Array | undefined;
}

export interface RangeOptions {
  /** First key to return, inclusive; absent: the first one under the prefix. */
  readonly start?: string;
  /** At most this many entries; absent: all. */
  readonly limit?: number;
  /** Read the state of that revision; absent: the newest. Compacted: RevisionCompacted. Not reached yet: RevisionUnknown. */
  readonly revision?: bigint;
  /** `remaining` may be 1 for any number of keys that follow: counting them costs a walk over all of them. */
  readonly uncounted?: true;
  /** Entries whose value is damaged are returned with their `damage`; absent: the range fails, because it would not be complete. */
  readonly damaged?: true;
  /** `revision` may be any that the history keeps: every write under the prefix had a note. */
  readonly noted?: true;
}

export interface KvWatchOptions {
  /** Events without changes may be left out: the reader does not want to know how far the store has come. */
  readonly changesOnly?: true;
}

/** How much history is kept: both bounds hold. Infinity: no bound of this sort. Both 0: none is kept, and what is there goes. */
export interface KvHistoryBounds {
  readonly ageMs: number;
  /** Of keys, notes, and states that only the history needs, as they are stored. */
  readonly bytesMax: number;
}

/** Which values of the past are others from now on, as when they are to be encrypted with another key. */
export interface KvHistoryRewrite {
  /** Whether values of the key may be meant: of others nothing is read. */
  concerns(key: string): boolean;
  /** The value in its place; undefined: it stays. What throws stays, and is counted. */
  rewrite(key: string, value: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Keys whose changes are kept for a shorter time than the rest of the history. */
export interface KvShorterAge {
  readonly ageMs: number;
  concerns(key: string): boolean;
}

/** A write that had a note. */
export interface KvNoted {
  readonly key: string;
  readonly revision: bigint;
  /** The revision of the key's state before; 0n: there was none. */
  readonly previous: bigint;
  readonly deleted: boolean;
  /** Where several writes of one commit share their revision (etcd): how many of them come before this one. Absent: none. */
  readonly place?: number;
  /** When it was written; never earlier than the write before it, whatever the clock did. */
  readonly atMs: number;
  readonly note: Uint8Array;
}

/** Which writes with notes are wanted; all that are absent: every one. */
export interface KvNotedQuery {
  /** Only writes with a lower revision. */
  readonly before?: bigint;
  /** Only writes with a higher revision. */
  readonly after?: bigint;
  /** Oldest first; absent: newest first. */
  readonly upward?: true;
  /** Only writes at or after this time. */
  readonly sinceMs?: number;
  /** Only writes of this key. */
  readonly key?: string;
  /** Only writes of keys in a folder of this name: `shop` for `/core/pods/shop/web`. Ignored with a `key`. */
  readonly folder?: string;
}

/**
 * The writes that had notes, and the states before and after each. Compaction leaves them alone; only the bounds of the history end
 * it:
 *
 *     r3 put a (note)   r4 put b   r5 put a (note)   compact 5      a can be read at r3 and r5, b only at r5
 *
 * For each change that is listed, both states can be read with a range at its revision and at the one before.
 */
export interface KvHistory {
  /** The oldest state that can be read, and since when it was current. */
  readonly oldest: { readonly revision: bigint; readonly atMs: number };

  /** In pages, which never end within a commit; a page may be empty, as a sign of work. Writes that were completed before the call are among them. */
  changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]>;

  /** The change of that revision; undefined: it had no note, or is no longer kept. */
  change(revision: bigint): KvNoted | undefined | Promise<KvNoted | undefined>;

  /** What the key held at the revision, which is kept. Undefined: nothing. */
  valueAt(key: string, revision: bigint): KvEntry | undefined | Promise<KvEntry | undefined>;

  /** What the key of a change that is kept held before it, and after it: cheaper than a search. Undefined: nothing. */
  stateBefore(change: KvNoted): KvEntry | undefined | Promise<KvEntry | undefined>;
  stateAfter(change: KvNoted): KvEntry | undefined | Promise<KvEntry | undefined>;

  /** The newest revision with a note that was written at that time or before; at least `oldest.revision`. */
  revisionAt(atMs: number): bigint | Promise<bigint>;

  /** How many bytes of the bound are used. */
  readonly bytes: number;

  /** Frees the space of older changes of these keys, with a delay. The caller stops reading them first. Absent: they stay. */
  shorten?(ages: readonly KvShorterAge[]): void;
}

/**
 * A map from keys to bytes in which every write gets the next revision.
 *
 * Named promises, each tested by contract.suite.ts:
 * - *durable*: a resolved put or delete survives the end of the process (the memory store excepted) and loss of power.
 * - *atomic*: of several writers that expect the same revision exactly one succeeds; the others change nothing.
 * - *whole*: all writes of a commit happen or none does, and no newest state has a part of them.
 * - *monotonic*: revisions only grow, by at least one for each write, also over restarts; none is used twice.
 * - *snapshot*: a range shows one moment, never half of one.
 * - *ordered*, *unique*, *reliable*: a watch yields every change after `since` once, in revision order, without a gap.
 * - *resumable*: a watch from any revision that has been delivered continues exactly after it, or throws RevisionCompacted.
 * - *progressive*: a watch reports its progress even when nothing under its prefix changes.
 * - *bounded*: history that has been compacted is gone for reads at a revision and for watches, and only for these.
 */
export interface Kv {
  /**
   * The revision of the newest completed write; a linearizable read (with a request to etcd). 0n: nothing was ever
   * written.
   */
  revision(): Promise<bigint>;

  /** The newest revision without waiting, where no other process can write. Absent or undefined: use `revision()`, or it is closed. */
  newest?(): bigint | undefined;

  /** Undefined: no such key. */
  get(key: string): Promise<KvEntry | undefined>;

  range(prefix: string, options?: RangeOptions): Promise<KvRange>;

  /**
   * Writes if the key is still at `expected` (0n: absent) and returns the new revision; otherwise throws
   * RevisionConflict and changes nothing. OutcomeUnknown: the connection broke, and which of the two happened is not known.
   * `note`: kept with the write in its history, both or neither; ignored by a store without `history`.
   */
  put(key: string, value: Uint8Array, expected: bigint, note?: Uint8Array): Promise<bigint>;

  /** Removes the key if it is still at `expected`; otherwise throws RevisionConflict. Returns the delete's revision. */
  delete(key: string, expected: bigint, note?: Uint8Array): Promise<bigint>;

  /** Absent: no history is kept beyond compaction. All writes of one key have notes, or none has. */
  history?(): KvHistory | undefined;

  /** What is kept of the past is no longer readable, and the history begins again with the newest state. Absent: none is ever kept. */
  forgetHistory?(): Promise<void>;

  /**
   * Every state of before that the history keeps has the value that the rewrite gives for it; the newest ones are left alone. It takes time, others
   * read and write meanwhile, and what an end of the process interrupts is begun again by the next call. What watches could
   * begin from is compacted. Returns how many states have other values, and how many could not be read or rewritten. Absent: the past
   * cannot be changed, only forgotten.
   */
  rewriteHistory?(rewrite: KvHistoryRewrite): Promise<{ readonly states: number; readonly failed: number }>;

  /**
   * Several writes to different keys that happen together: all keys are at `expected`, or RevisionConflict and nothing changes. Returns
   * the revision of each, in their order: they follow each other, or are one and the same (etcd). At most `commitWritesMax` writes and
   * `commitBytesMax` bytes.
   */
  commit(writes: readonly KvWrite[]): Promise<readonly bigint[]>;

  /**
   * Every change under `prefix` after `since`, until `signal` aborts (then it ends without an error).
   * Throws RevisionCompacted when `since` is no longer kept. Never buffers without bound: a reader that falls behind by
   * more than the store keeps gets RevisionCompacted as well.
   */
  watch(prefix: string, since: bigint, signal: AbortSignal, options?: KvWatchOptions): AsyncIterable<KvEvents>;

  /** Forgets what is only needed to show states older than `revision`. */
  compact(revision: bigint): Promise<void>;

  /**
   * Keeps the state of the newest revision readable, whatever is written and compacted, until `release` is called. Absent:
   * the store cannot do that, and a long read may end with RevisionCompacted.
   */
  pin?(): KvPin;

  /**
   * For a store that other processes compact too: asks all of them that go through this interface to keep the state of the newest
   * revision readable, history included, until `release` is called. Other programs may still compact it. Absent: see `pin`.
   */
  reserve?(): Promise<KvPin>;

  /** Whether the store accepts writes, as far as it knows without trying. Absent: it does not know. */
  condition?(): KvCondition;

  /** How large the store is, for metrics: of its file, or of each etcd member that answers. Absent: it does not know. */
  sizes?(): Promise<readonly KvSize[]>;

  /** Ends every watch, waits for running writes, closes files and sockets. Later calls throw KvClosed. */
  close(): Promise<void>;
}

/** A state that stays readable; the store keeps what it replaced until then, so it must be released. */
export interface KvPin {
  readonly revision: bigint;
  release(): void;
}

export interface KvSize {
  /** The address of the member, or the folder of the file. */
  readonly endpoint: string;
  readonly bytes: number;
}

/** "full": no writes until there is space, reads continue. "failed": no writes until it is reopened, reads continue. */
export type KvCondition = "ok" | "full" | "failed";

/** The largest value of a key in bytes, the same on every store (etcd's request limit). */
export const valueBytesMax = 1_572_864;
/** How many keys one commit may name. */
export const commitWritesMax = 128;
/** The bytes of all keys and values of one commit: with what goes around them they fit into one request to etcd. */
export const commitBytesMax = 1_048_576;
/** The longest key in UTF-8 bytes (the embedded store's page layout). */
export const keyBytesMax = 1_900;

type KvErrorCode =
  | "conflict"
  | "compacted"
  | "unknown-revision"
  | "too-large"
  | "outcome-unknown"
  | "unavailable"
  | "damaged"
  | "closed";

/** What a store throws. Callers test the class or the code, never the message. */
export class KvError extends Error {
  readonly code: KvErrorCode;
  constructor(code: KvErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A file of the store is damaged, and the message ends with what to do. */
export class DamagedFile extends KvError {
  readonly advice: string;
  constructor(problem: string, advice: string) {
    super("damaged", `${problem}; ${advice}`);
    this.advice = advice;
  }
}

/** The key is not at the expected revision. `current` is what is there now, where the store knows it. */
export class RevisionConflict extends KvError {
  readonly key: string;
  /** 0n: the key is absent. */
  readonly revision: bigint;
  constructor(key: string, expected: bigint, revision = 0n) {
    super("conflict", `key ${key} is at revision ${revision}, not ${expected}`);
    this.key = key;
    this.revision = revision;
  }
}

/** The requested revision is older than the history; `oldest` is the oldest that can still be read. */
export class RevisionCompacted extends KvError {
  readonly oldest: bigint;
  constructor(revision: bigint, oldest: bigint) {
    super("compacted", `revision ${revision} has been compacted; the oldest kept is ${oldest}`);
    this.oldest = oldest;
  }
}

/** The requested revision has not been reached. */
export class RevisionUnknown extends KvError {
  constructor(revision: bigint, current: bigint) {
    super("unknown-revision", `revision ${revision} is ahead of the current ${current}`);
  }
}

/** The connection broke during a write; it may or may not have happened. */
export class OutcomeUnknown extends KvError {
  constructor(key: string, options?: ErrorOptions) {
    super("outcome-unknown", `the outcome of the write to ${key} is unknown`, options);
  }
}

export class KvClosed extends KvError {
  constructor() {
    super("closed", "the store is closed");
  }
}
