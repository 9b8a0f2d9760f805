/** Finds the versions that expired history leaves behind, a step at a time. */

import { KvError, type KvNoted } from "../contract.ts";
import type { Disk, SweptVersion } from "./disk.ts";
import type { MovedState } from "./former-states.ts";

/** A step ends after so many bytes of states and of what replaced them. */
const movedBytesMax = 1024 * 1024;

export interface Sweep {
  readonly versions: readonly SweptVersion[];
  /** What only the history needs from now on. */
  readonly moved: readonly MovedState[];
  /** How far history has been examined. */
  readonly through: bigint;
}

interface SweepBounds {
  readonly from: bigint;
  readonly end: bigint;
  readonly max: number;
  /** Where the history of changes with notes begins; undefined: none is kept. */
  readonly oldestNoted: bigint | undefined;
}

/**
 * The next versions that no reader can see any more. A change at or before `end` hides the state before it, and a delete
 * hides itself:
 *
 *     r3 put a   r4 put b   r5 put a (before: r3)   r6 delete b (before: r4)      end 6: r3, r4 and r6 go, r5 stays
 *
 * Only the changes after `from` are examined, never the versions that stay. A change that is damaged does not tell which state it
 * hides; that state goes with the delete of its key, and must not be seen again after it. A change with a note stays until its history
 * ends (noted-history.ts), and the state before it moves to the former states.
 */
export function planSweep(
  disk: Disk,
  { from, end, max, oldestNoted }: SweepBounds,
  onDamaged: (revision: bigint, error: KvError) => void,
): Sweep {
  const versions: SweptVersion[] = [];
  const moved: MovedState[] = [];
  let through = from;
  let bytes = 0;
  for (let step = 0; step < max && through < end && bytes < movedBytesMax; step += 1) {
    through += 1n;
    try {
      if (!disk.notes.has(through)) {
        versions.push(...versionsHiddenBy(disk, through));
        continue;
      }
      const state = oldestNoted !== undefined && through > oldestNoted ? movedBy(disk, through) : undefined;
      if (state === undefined) continue;
      moved.push(state);
      bytes += state.reads;
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      onDamaged(through, error);
    }
  }
  return { versions, moved, through };
}

/** Undefined: the change replaced nothing, or nothing that can be moved. */
function movedBy(disk: Disk, revision: bigint): MovedState | undefined {
  const change = disk.logged(revision);
  if (change === undefined || change.previous === 0n) return undefined; // undefined: it was discarded
  const before = disk.logged(change.previous);
  return before?.key === change.key && before.value !== undefined ? disk.former.moved(change, before) : undefined;
}

/** The versions that the change of a revision hides from later readers. Throws KvError if its record is damaged. */
function versionsHiddenBy(disk: Disk, revision: bigint): SweptVersion[] {
  if (!disk.hasRecord(revision)) return []; // it was discarded
  const { key, value, previous } = disk.record(revision);
  // Older states of the key may be differences to the one that goes. Nobody reads them: the history does not keep the key any more.
  if (value !== undefined && disk.notes.has(previous)) return disk.versionsUpTo(key, previous);
  return hiddenVersions(disk, { key, revision, previous, deleted: value === undefined });
}

/** Those that a change hides whose note is known. */
export function hiddenVersions(
  disk: Disk,
  { key, revision, previous, deleted }: Pick<KvNoted, "key" | "revision" | "previous" | "deleted">,
): SweptVersion[] {
  if (deleted) return disk.versionsUpTo(key, revision);
  return previous > 0n ? [{ key, revision: previous, replacedBy: revision }] : [];
}
