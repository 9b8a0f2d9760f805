/** Finds the versions that expired history leaves behind, a step at a time. */

import { KvError } from "../contract.ts";
import type { Disk, SweptVersion } from "./disk.ts";

export interface Sweep {
  readonly versions: readonly SweptVersion[];
  /** How far history has been examined. */
  readonly through: bigint;
}

/**
 * The next versions that no reader can see any more. A change at or before `end` hides the state before it, and a delete
 * hides itself:
 *
 *     r3 put a   r4 put b   r5 put a (before: r3)   r6 delete b (before: r4)      end 6: r3, r4 and r6 go, r5 stays
 *
 * Only the changes after `from` are examined, never the versions that stay. A change that is damaged does not tell which state it
 * hides; that state goes with the delete of its key, and must not be seen again after it.
 */
export function planSweep(
  disk: Disk,
  { from, end, max }: { from: bigint; end: bigint; max: number },
  onDamaged: (revision: bigint, error: KvError) => void,
): Sweep {
  const versions: SweptVersion[] = [];
  let through = from;
  for (let step = 0; step < max && through < end; step += 1) {
    through += 1n;
    try {
      // A change with a note stays until its history ends (noted-history.ts).
      if (!disk.notes.has(through)) versions.push(...versionsHiddenBy(disk, through));
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      onDamaged(through, error);
    }
  }
  return { versions, through };
}

/** The versions that the change of a revision hides from later readers. Throws KvError if its record is damaged. */
export function versionsHiddenBy(disk: Disk, revision: bigint): SweptVersion[] {
  if (!disk.hasRecord(revision)) return []; // it was discarded
  const { key, value, previous } = disk.record(revision);
  if (value === undefined) return disk.versionsUpTo(key, revision);
  return previous > 0n ? [{ key, revision: previous }] : [];
}
