/** Decides which writes of a batch succeed, before anything is on disk. */

import { type KvChange, KvError, RevisionConflict } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import type { KeyState } from "./latest-writes.ts";
import type { WriteRecord } from "./records.ts";

export interface DecidedWrite {
  readonly key: string;
  /** Absent: delete. */
  readonly value: Uint8Array | undefined;
  readonly expected: bigint;
  resolve(revision: bigint): void;
  reject(error: Error): void;
}

/** The outcome of a write: a revision or a refusal. Both are reported only when the batch they rest on is on disk. */
export interface Decided {
  readonly write: DecidedWrite;
  readonly outcome: bigint | RevisionConflict;
}

interface WriteDecision {
  readonly changes: KvChange[];
  readonly records: WriteRecord[];
  readonly decisions: Decided[];
  /** The newest revision after the batch. */
  readonly revision: bigint;
}

/**
 * Compares every write with what is there, as if the writes before it had happened. `current` tells what is on disk; a
 * write that would replace something damaged is refused with that error, and the others continue.
 */
export function decide(
  batch: readonly DecidedWrite[],
  revision: bigint,
  current: (key: string) => KeyState | undefined,
): WriteDecision {
  const changes: KvChange[] = [];
  const records: WriteRecord[] = [];
  const decisions: Decided[] = [];
  const written = new Map<string, KeyState | undefined>();
  let newest = revision;
  for (const write of batch) {
    const { key, value, expected } = write;
    let before: KeyState | undefined;
    try {
      before = written.has(key) ? written.get(key) : current(key);
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      write.reject(error);
      continue;
    }
    if ((before?.revision ?? 0n) !== expected || (value === undefined && before === undefined)) {
      decisions.push({ write, outcome: new RevisionConflict(key, expected, before?.revision) });
      continue;
    }
    if (before?.damage !== undefined) {
      write.reject(before.damage);
      continue;
    }
    newest += 1n;
    const created = before?.created ?? newest;
    records.push({ key, revision: newest, value, created, previous: before?.revision ?? 0n });
    changes.push({ key, revision: newest, ...(value && { value }) });
    decisions.push({ write, outcome: newest });
    written.set(key, value && { revision: newest, created });
  }
  return { changes, records, decisions, revision: newest };
}

/** After the commit. */
export function answerWriters(decisions: readonly Decided[]): void {
  for (const [index, { write, outcome }] of decisions.entries()) {
    if (typeof outcome === "bigint") {
      write.resolve(outcome);
    } else {
      write.reject(outcome);
      crashPoint("batch: conflict told");
    }
    if (index === 0 && decisions.length > 1) crashPoint("batch: one of several acknowledged");
  }
  crashPoint("batch: acknowledged");
}
