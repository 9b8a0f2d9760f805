/** Decides how far back history reaches: limited by age, number of changes and bytes, whichever limit is reached first. */

interface HistoryLimits {
  readonly ageMs: number;
  readonly changesMax: number;
  readonly bytesMax: number;
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
export class History {
  readonly #limits: HistoryLimits;
  #marks: Mark[];
  #bytes = 0;

  constructor(limits: HistoryLimits, now: number, revision: bigint) {
    this.#limits = limits;
    this.#marks = [{ at: now, revision, bytes: 0 }];
  }

  /** Records a commit. */
  record(now: number, revision: bigint, bytes: number): void {
    this.#bytes += bytes;
    const last = this.#marks.at(-1);
    if (last !== undefined && this.#bytes - last.bytes < this.#limits.bytesMax / marksPerBytesMax) return;
    this.#marks.push({ at: now, revision, bytes: this.#bytes });
  }

  /** The oldest revision to keep, given the newest. Called from time to time, even when nothing is written. */
  oldest(now: number, revision: bigint): bigint {
    const last = this.#marks.at(-1);
    if (last === undefined || last.revision < revision) this.#marks.push({ at: now, revision, bytes: this.#bytes });
    let oldest = revision - BigInt(this.#limits.changesMax);
    let passed = 0;
    for (const mark of this.#marks) {
      if (mark.at > now - this.#limits.ageMs && this.#bytes - mark.bytes <= this.#limits.bytesMax) break;
      if (mark.revision > oldest) oldest = mark.revision;
      passed += 1;
    }
    this.#marks = this.#marks.slice(passed);
    return oldest;
  }
}
