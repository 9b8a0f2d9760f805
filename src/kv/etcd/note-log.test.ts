import { expect, test } from "vitest";
import { NoteLog, notedChangesMax } from "./note-log.ts";

test("more changes than fit into memory are not kept, whatever the bounds allow", () => {
  const unbounded = { ageMs: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
  const log = new NoteLog(unbounded, { revision: 0n, atMs: 0 });
  const note = new Uint8Array(0);
  for (let revision = 1n; revision <= BigInt(notedChangesMax) + 1n; revision += 1n)
    log.append([{ key: "/a", revision, previous: revision - 1n, deleted: false, atMs: 1, note, bytes: 1 }]);
  expect(log.bytes).toBeLessThanOrEqual(notedChangesMax);
  expect(log.bytes).toBeGreaterThan(notedChangesMax * 0.9);
  const { revision: oldest } = log.oldest;
  expect(log.change(oldest)).toBeUndefined();
  expect(log.change(oldest + 1n)).toMatchObject({ previous: oldest });
});
