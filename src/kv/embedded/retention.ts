/** Decides from where on changes are readable: limited by age, number of changes and bytes, whichever limit is reached first. */

import type { KvChange } from "../contract.ts";

export interface RetentionLimits {
  /** How long changes can be watched again and past states read; the default is five minutes. */
  readonly historyMs?: number;
  /** How many changes are kept at most, even within `historyMs`; the default is 300,000. */
  readonly historyChangesMax?: number;
  /** How many bytes of changes are kept at most, even within `historyMs`; the default is 1 GiB. */
  readonly historyBytesMax?: number;
}

/** A mark in history: everything up to `revision` existed at time `at`, after `bytes` had been written in total. */
interface Mark {
  readonly at: number;
  readonly revision: bigint;
  readonly bytes: number;
}

/** Between two marks lies at most this share of the bytes that are kept. */
const marksPerBytesMax = 64;

/**
 * Times are those of the monotonic clock and begin with the opening, so what an earlier process wrote counts as new: a
 * jump of the wall clock cannot remove history.
 */
export class Retention {
  /** How often `oldest` is to be asked. */
  readonly tickMs: number;
  readonly #ageMs: number;
  readonly #changesMax: number;
  readonly #bytesMax: number;
  #marks: Mark[];
  #bytes = 0;

  constructor(limits: RetentionLimits, now: number, revision: bigint) {
    this.#ageMs = limits.historyMs ?? 5 * 60_000;
    this.#changesMax = Math.max(1, limits.historyChangesMax ?? 300_000);
    this.#bytesMax = limits.historyBytesMax ?? 1024 ** 3;
    this.tickMs = Math.min(15_000, Math.max(50, this.#ageMs / 20));
    this.#marks = [{ at: now, revision, bytes: 0 }];
  }

  /** Records a commit. */
  record(now: number, revision: bigint, changes: readonly KvChange[]): void {
    for (const { key, value } of changes) this.#bytes += key.length + (value?.byteLength ?? 0);
    const last = this.#marks.at(-1);
    if (last !== undefined && this.#bytes - last.bytes < this.#bytesMax / marksPerBytesMax) return;
    this.#marks.push({ at: now, revision, bytes: this.#bytes });
  }

  /** What the number of changes leaves of those since `compacted`; undefined: few are too many, and `oldest` finds them. */
  oldestByNumber(compacted: bigint, revision: bigint): bigint | undefined {
    // A twentieth of slack, so that the floor moves occasionally and not with every write.
    const slack = BigInt(Math.ceil(this.#changesMax / 20));
    const oldest = revision - BigInt(this.#changesMax);
    return oldest > compacted + slack ? oldest : undefined;
  }

  /** The oldest revision to keep, given the newest. Called from time to time, even when nothing is written. */
  oldest(now: number, revision: bigint): bigint {
    const last = this.#marks.at(-1);
    if (last === undefined || last.revision < revision) this.#marks.push({ at: now, revision, bytes: this.#bytes });
    let oldest = revision - BigInt(this.#changesMax);
    let passed = 0;
    for (const mark of this.#marks) {
      if (mark.at > now - this.#ageMs && this.#bytes - mark.bytes <= this.#bytesMax) break;
      if (mark.revision > oldest) oldest = mark.revision;
      passed += 1;
    }
    this.#marks = this.#marks.slice(passed);
    return oldest;
  }
}
