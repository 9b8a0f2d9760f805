/** Makes a segment of the notes and former states of a span of revisions, in time slices. */

import { TimeSlice } from "../../base/time-slice.ts";
import { KvError } from "../contract.ts";
import type { Disk } from "./disk.ts";
import type { FormerRecord, NoteRecord } from "./records.ts";
import type { RewrittenStates } from "./rewritten-states.ts";
import { type PackedSegment, SegmentBuilder } from "./segment.ts";

/** How many notes are read between two looks at the time. */
const pageNotes = 200;

interface PackingSpan {
  /** Revisions after the one and up to the other, which has a note. */
  readonly after: bigint;
  readonly upTo: NoteRecord;
  /** What the states had taken that had moved up to it. */
  readonly movedBytes: number;
  /** Undefined: states stay as they are. */
  readonly rewritten: RewrittenStates | undefined;
  /** Whether packing was cancelled. */
  isStopped(): boolean;
  onDamaged(revision: bigint, error: KvError): void;
}

/** Undefined: it was stopped, or there is nothing. A change that is damaged is left out. */
export async function packSegment(disk: Disk, span: PackingSpan): Promise<PackedSegment | undefined> {
  const { after, upTo, movedBytes, rewritten } = span;
  const slice = new TimeSlice();
  const revisions = new Map<string, bigint[]>();
  let firstAtMs: number | undefined;
  for (let from = after + 1n; from <= upTo.revision; ) {
    const page = disk.notes.readableFrom(from, pageNotes, span.onDamaged);
    for (const { key, revision, atMs } of page.notes) {
      if (revision > upTo.revision) break;
      firstAtMs ??= atMs;
      const known = revisions.get(key);
      if (known === undefined) revisions.set(key, [revision]);
      else known.push(revision);
    }
    if (page.resume === undefined) break;
    from = page.resume;
    if (slice.isLong) await slice.next();
    if (span.isStopped()) return undefined;
  }
  if (firstAtMs === undefined) return undefined;
  const { revision: last, atMs: lastAtMs, totalBytes } = upTo;
  const builder = new SegmentBuilder({ first: after + 1n, last, firstAtMs, lastAtMs });
  for (const key of [...revisions.keys()].sort()) {
    for (const revision of revisions.get(key)!) {
      const change = read(disk, revision, span);
      if (change !== undefined) builder.add(rewritten?.concerns(key) ? await rewritten.of(change) : change);
      if (!slice.isLong) continue;
      await slice.next();
      if (span.isStopped()) return undefined;
    }
  }
  return builder.isEmpty ? undefined : builder.finish({ totalBytes, movedBytes });
}

function read(
  disk: Disk,
  revision: bigint,
  { onDamaged }: PackingSpan,
): { note: NoteRecord; former: FormerRecord | undefined } | undefined {
  try {
    const note = disk.notes.get(revision);
    return note && { note, former: disk.former.unpacked(revision) };
  } catch (error) {
    if (!(error instanceof KvError) || error.code !== "damaged") throw error;
    onDamaged(revision, error);
    return undefined;
  }
}
