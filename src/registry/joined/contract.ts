/** Where the objects of one family in several stores come from. */

/** An object of one of the stores, as it is there. */
export interface PartValue {
  /** Which store; without a slash. */
  readonly part: string;
  /** Of the object in its store, as keys name it. */
  readonly path: string;
  readonly revision: bigint;
  /** In the clear. */
  readonly value: Uint8Array;
}

/** What happened to an object; `value` absent: it is gone. */
export interface PartChange extends Omit<PartValue, "value"> {
  readonly value?: Uint8Array;
  /** When it happened. Later than `revision` where a store appeared with objects that are older than it. */
  readonly at: bigint;
}

/** The revisions of all its stores are of one row. */
export interface JoinedSource {
  /** Everything at one revision. May throw RevisionCompacted: try again. */
  load(take: (value: PartValue) => void, signal: AbortSignal): Promise<bigint>;
  /** The changes after the revision of the last `load`, in order. Throws RevisionCompacted if some are not known: load again. */
  watch(
    since: bigint,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly changes: readonly PartChange[]; readonly revision: bigint }>;
  /** Of the newest write. */
  revision(): Promise<bigint>;
  /** See Kv. */
  newest(): bigint | undefined;
}
