import fc from "fast-check";
import { expect, test } from "vitest";
import { differenceOf } from "../../base/difference.ts";
import type { FormerRecord } from "./records.ts";
import { BlockWriter, readBlock, type SegmentChange } from "./segment-block.ts";

const id = fc.uuid();
const note = fc.oneof(
  fc.tuple(fc.constantFrom("update", "create", ""), id).map(([what, of]) => Buffer.from(`["${what}","jane","${of}"]`)),
  id.map((of) => Buffer.from(`${of}${of}`)),
  // Not as this store writes ids: they must come back as they are.
  id.map((of) => Buffer.from(`["${of.toUpperCase()}","a-b-c-d","--------------------------------------"]`)),
  fc.uint8Array({ maxLength: 60 }),
);
const value = fc
  .array(fc.constantFrom("a piece that is longer than a block of them", "10:20:31Z", "10:21:31Z", "x", "{}"), {
    maxLength: 12,
  })
  .map((words) => Buffer.from(words.join(",")));
const change = fc.record({
  key: fc.constantFrom("/pods/a/x", "/pods/a/xy", "/pods/b/ä", "/nodes/n"),
  note,
  former: fc.option(fc.record({ value, base: fc.option(value), depth: fc.integer({ min: 0, max: 16 }) })),
  follows: fc.boolean(),
  deleted: fc.boolean(),
  step: fc.integer({ min: 0, max: 400_000 }),
});

test("a block has the changes that were put into it, whatever they say", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (wanted) => {
      const changes: SegmentChange[] = [];
      let atMs = 1_000;
      const newest = new Map<string, bigint>();
      for (const [at, { key, note: bytes, former, follows, deleted, step }] of wanted.entries()) {
        atMs += step;
        const revision = BigInt(at * 3 + 10);
        const before = newest.get(key);
        const previous = former === null ? 0n : follows && before !== undefined ? before : revision - 2n;
        newest.set(key, revision);
        const counted = { totalBytes: 7, movedBytes: 9 };
        const state: FormerRecord | undefined =
          former === null
            ? undefined
            : {
                replacedBy: revision,
                revision: previous,
                created: previous - 1n,
                previous: 0n,
                isDifference: former.base !== null,
                depth: former.depth,
                contents: former.base === null ? former.value : differenceOf(former.base, former.value),
                movedBytes: counted.movedBytes,
              };
        changes.push({
          note: { key, revision, previous, deleted, atMs, note: bytes, totalBytes: counted.totalBytes },
          former: state,
        });
      }
      changes.sort((one, other) => (one.note.key < other.note.key ? -1 : one.note.key > other.note.key ? 1 : 0));
      const revisions = changes.map(({ note: { revision } }) => revision);
      const span = {
        first: 10n,
        last: revisions.reduce((most, one) => (one > most ? one : most)),
        firstAtMs: 1_000,
        lastAtMs: atMs,
      };
      const writer = new BlockWriter(span);
      for (const one of changes) writer.add(one);
      const found = readBlock(writer.finish(), { ...span, totalBytes: 7, movedBytes: 9 });
      expect(found.map(shown)).toEqual(changes.map(shown));
    }),
    { numRuns: 300 },
  );
});

const shown = ({ note: of, former }: SegmentChange) => ({
  note: [of.key, of.revision, of.previous, of.deleted, of.atMs, of.totalBytes, Buffer.from(of.note).toString("hex")],
  former: former && [
    former.replacedBy,
    former.revision,
    former.created,
    former.isDifference,
    former.depth,
    former.movedBytes,
    Buffer.from(former.contents).toString("hex"),
  ],
});
