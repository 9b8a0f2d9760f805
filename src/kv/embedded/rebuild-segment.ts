/** Makes a segment again, with other states or without some changes, in time slices. */

import { TimeSlice } from "../../base/time-slice.ts";
import type { Disk } from "./disk.ts";
import { type PackedSegment, SegmentBuilder } from "./segment.ts";
import type { SegmentChange } from "./segment-block.ts";

/** What becomes of changes. */
export interface ChangeRewrite {
  /** Whether changes of the key may become others. */
  concerns(key: string): boolean;
  /** Whether this one does. */
  changes(change: SegmentChange): boolean | Promise<boolean>;
  /** Undefined: it goes. */
  of(change: SegmentChange): SegmentChange | undefined | Promise<SegmentChange | undefined>;
}

/** Undefined: it stays as it is, it is gone, or the work was stopped. */
export async function rebuildSegment(
  disk: Disk,
  last: bigint,
  { rewrite, isStopped }: { readonly rewrite: ChangeRewrite; isStopped(): boolean },
): Promise<PackedSegment | undefined> {
  const { segments } = disk;
  const head = segments.head(last);
  if (head === undefined || !(await needsIt(disk, last, { rewrite, isStopped }))) return undefined;
  const slice = new TimeSlice();
  const builder = new SegmentBuilder(head);
  for (const block of segments.blocksWith(last)) {
    for (const change of block) {
      const next = rewrite.concerns(change.note.key) ? await rewrite.of(change) : change;
      if (next !== undefined) builder.add(next);
      if (!slice.isLong) continue;
      await slice.next();
      if (isStopped()) return undefined;
    }
  }
  return segments.head(last) === head ? builder.finish(head) : undefined;
}

async function needsIt(
  { segments }: Disk,
  last: bigint,
  { rewrite, isStopped }: { readonly rewrite: ChangeRewrite; isStopped(): boolean },
): Promise<boolean> {
  const slice = new TimeSlice();
  for (const block of segments.blocksWith(last, (key) => rewrite.concerns(key))) {
    for (const change of block) if (await rewrite.changes(change)) return true;
    if (slice.isLong) await slice.next();
    if (isStopped()) return false;
  }
  return false;
}
