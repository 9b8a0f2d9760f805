/** Decides which commits of a batch succeed, before anything is on disk. */

import { type KvChange, KvError, type KvWrite, RevisionConflict } from "../contract.ts";
import { joined } from "../feed.ts";
import { crashPoint } from "./crash-point.ts";
import type { KeyState } from "./latest-writes.ts";
import type { WriteRecord } from "./records.ts";

/** The first write of a commit, and those that happen together with it: nearly all commits have one write only. */
export interface CommitWrites extends KvWrite {
  /** Absent: there are none. */
  readonly others?: readonly KvWrite[] | undefined;
}

/** A commit that waits for a flush. */
export interface QueuedCommit extends CommitWrites {
  /** With the revision of the first change; those of the others follow it. */
  resolve(revision: bigint): void;
  reject(error: Error): void;
}

/** The outcome of a commit: a revision or a refusal. Both are reported only when the batch they rest on is on disk. */
export interface Decided {
  readonly commit: QueuedCommit;
  readonly outcome: bigint | RevisionConflict;
}

export interface WriteDecision {
  readonly changes: KvChange[];
  readonly records: WriteRecord[];
  /** Those of `records` that have a note. */
  readonly notes: { readonly record: WriteRecord; readonly note: Uint8Array }[];
  readonly decisions: Decided[];
  /** The newest revision after the batch. */
  readonly revision: bigint;
}

export const noWrites: readonly KvWrite[] = [];

/**
 * Compares every commit with what is there, as if those before it had happened. `current` tells what is on disk; a
 * commit that would replace something damaged is refused with that error, and the others continue.
 */
export function decide(
  batch: readonly QueuedCommit[],
  revision: bigint,
  current: (key: string) => KeyState | undefined,
): WriteDecision {
  const changes: KvChange[] = [];
  const records: WriteRecord[] = [];
  const notes: WriteDecision["notes"] = [];
  const decisions: Decided[] = [];
  const written = new Map<string, KeyState | undefined>();
  let newest = revision;
  const before = (key: string) => (written.has(key) ? written.get(key) : current(key));
  const write = ({ key, value, keeps, note }: KvWrite, state: KeyState | undefined) => {
    if (keeps) return;
    newest += 1n;
    const created = state?.created ?? newest;
    const record = { key, revision: newest, value, created, previous: state?.revision ?? 0n };
    records.push(record);
    if (note !== undefined) notes.push({ record, note });
    changes.push({ key, revision: newest, ...(value && { value }) });
    written.set(key, value && { revision: newest, created });
  };
  for (const commit of batch) {
    const { others } = commit;
    const first = newest + 1n;
    try {
      const state = before(commit.key);
      let conflict = refusalOf(commit, state);
      const states = others?.map(({ key }) => before(key));
      for (let at = 0; conflict === undefined && at < (others?.length ?? 0); at += 1)
        conflict = refusalOf(others![at]!, states![at]);
      decisions.push({ commit, outcome: conflict ?? first });
      if (conflict !== undefined) continue;
      const begin = changes.length;
      write(commit, state);
      if (others === undefined) continue;
      for (const [at, other] of others.entries()) write(other, states![at]);
      changes.push(...joined(changes.splice(begin)));
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      commit.reject(error);
    }
  }
  return { changes, records, notes, decisions, revision: newest };
}

/** Throws if it would replace something damaged. */
function refusalOf(
  { key, value, expected, keeps }: KvWrite,
  state: KeyState | undefined,
): RevisionConflict | undefined {
  const removesNothing = value === undefined && !keeps && state === undefined;
  if ((state?.revision ?? 0n) !== expected || removesNothing)
    return new RevisionConflict(key, expected, state?.revision);
  if (state?.damage !== undefined) throw state.damage;
  return undefined;
}

/** After the commit. */
export function answerWriters(decisions: readonly Decided[]): void {
  for (const [index, { commit, outcome }] of decisions.entries()) {
    if (typeof outcome === "bigint") {
      commit.resolve(outcome);
    } else {
      commit.reject(outcome);
      crashPoint("batch: conflict told");
    }
    if (index === 0 && decisions.length > 1) crashPoint("batch: one of several acknowledged");
  }
  crashPoint("batch: acknowledged");
}
